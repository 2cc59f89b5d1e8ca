import pytest

from providers.regulations.doc_no import fold


@pytest.mark.parametrize(
    "same",
    [
        ("法释〔2020〕25号", "法释[2020]25号", "法释（2020）25号", "法释(2020)第25号", "法释 【2020】 25 号"),
        ("国务院令第739号", "中华人民共和国国务院令第739号", "国务院令739号", "国务院令 第７３９号"),
        ("主席令第七十八号", "主席令第78号", "中华人民共和国主席令第七十八号"),
        ("主席令第一一六号", "主席令第116号"),
        ("国家药监局公告2024年第38号", "国家药品监督管理局公告2024年第38号"),
    ],
)
def test_honest_ways_to_write_one_number_meet_in_one_key(same: tuple[str, ...]) -> None:
    assert len({fold(text) for text in same}) == 1


def test_different_numbers_years_and_issuers_stay_apart() -> None:
    numbers = (
        "国务院令第739号",
        "国务院令第797号",
        "法释〔2020〕25号",
        "法释〔2004〕25号",
        "主席令第739号",
        "第十百号",
    )
    assert len({fold(text) for text in numbers}) == len(numbers)
