"""Small made-up regulations on disk, as whoever keeps a corpus has them: a manifest and its files."""

import json
from pathlib import Path
from typing import Any

from tests.doors.forking import Forking

OLD, NEW = "binhai-slope-support@2019-03-01", "binhai-slope-support@2024-06-20"
SECRET, PARTLY, LISTED = "crane-guide@2020-01-01", "pier-notes@2021-05-05", "light-list@2022-02-02"
TITLE = "滨海市边坡支护管理办法"
CANARY = "纸鸢暗渡第七号闸"
"""Words of a text that is withheld: in its chapter heading, its articles and its items."""
UNQUOTED = "尾声不可外传之语"
"""Words of a text of which only the metadata may be told."""
BEYOND = "二百字之后的话"
"""Words behind the first 200 code points of a text that may be quoted in part."""
_TEXTS = {
    "2019.md": f"""# {TITLE}

（2019年3月1日滨海市人民政府令第12号公布）

第一章　总则

第一条　为了加强边坡支护管理，制定本办法。

第二条　本市边坡支护的设计和施工，适用本办法。

第二章　检验

第三条　边坡支护结构应当每五年检验一次，并保存检验记录。

检验记录应当载明下列内容：

（一）锚杆拉力；

（二）坡顶位移。

第四条　检验不合格的边坡支护结构，应当加固。

第三章　附则

第五条　本办法自2019年5月1日起施行。
""",
    "2024.md": f"""# {TITLE}

（2019年3月1日滨海市人民政府令第12号公布　2024年6月20日滨海市人民政府令第31号修订）

第一章　总则

第一条　为了加强边坡支护管理，制定本办法。

第二条　本市边坡支护的设计、施工和拆除，适用本办法。

第二章　检验

第三条　边坡支护结构应当每三年检验一次，并保存检验记录。

检验记录应当载明下列内容：

（一）锚杆拉力；

（二）坡顶位移；

（三）地下水位。

第四条　高度超过十五米的边坡应当装设自动监测装置。

第五条　检验不合格的边坡支护结构，应当加固。

第三章　附则

第六条　本办法自2024年9月1日起施行。
""",
    "crane.md": f"""# 港口起重机操作指南

第一章　{CANARY}

第一条　操作人员应当持证，{CANARY}。

第二条　起吊之前应当检查下列部位：

（一）吊钩与{CANARY}；

（二）钢丝绳。
""",
    "pier.md": f"""# 码头防撞札记

第一条　码头应当装设护舷。{"护舷的间距由水深与船型确定，靠泊之前应当逐个检查。" * 10}{BEYOND}。
""",
    "light.md": f"""# 航标灯名录编制办法

第一条　航标灯应当编号，{UNQUOTED}。
""",
}
_ROWS: tuple[dict[str, object], ...] = (
    {
        "edition_id": OLD,
        "title": TITLE,
        "kind": "地方政府规章",
        "doc_no": "滨海市人民政府令第12号",
        "edition_label": "2019年公布",
        "issued": "2019-03-01",
        "effective": "2019-05-01",
        "repealed": "2024-09-01",
        "file": "2019.md",
        "source": "虚构公报 2019 年第 3 期",
        "disclosure": "full",
    },
    {
        "edition_id": NEW,
        "title": TITLE,
        "kind": "地方政府规章",
        "doc_no": "滨海市人民政府令第31号",
        "edition_label": "2024年修订",
        "issued": "2024-06-20",
        "effective": "2024-09-01",
        "file": "2024.md",
        "source": "虚构公报 2024 年第 7 期",
        "disclosure": "full",
    },
    {
        "edition_id": SECRET,
        "title": "港口起重机操作指南",
        "kind": "指导原则",
        "issued": "2020-01-01",
        "effective": "2020-02-01",
        "file": "crane.md",
        "disclosure": "withheld",
        "withheld_reason": "来源权利限制",
    },
    {
        "edition_id": PARTLY,
        "title": "码头防撞札记",
        "kind": "指导原则",
        "issued": "2021-05-05",
        "effective": "2021-06-01",
        "file": "pier.md",
        "disclosure": "excerpt",
    },
    {
        "edition_id": LISTED,
        "title": "航标灯名录编制办法",
        "kind": "部门规章",
        "issued": "2022-02-02",
        "effective": "2022-03-01",
        "file": "light.md",
        "disclosure": "metadata_only",
        "withheld_reason": "仅登记目录",
    },
)


def write(folder: Path, *editions: str, charset: str = "utf-8", **changes: object) -> Path:
    """The manifest of these editions in `folder`, its files beside it; `changes` go into every row."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [row for row in _ROWS if row["edition_id"] in editions]
    for row in rows:
        name = str(row["file"])
        (folder / name).write_bytes(_TEXTS[name].encode(charset))
    named = [{"regulation_id": str(row["edition_id"]).partition("@")[0], **row, **changes} for row in rows]
    path = folder / "manifest.json"
    path.write_text(json.dumps({"editions": named}, ensure_ascii=False), encoding="utf-8")
    return path


def publish(quick: Forking, folder: Path, *editions: str, corpus: str = "corpus.sqlite3") -> str:
    """Take the editions into the corpus of `folder` and publish; the revision."""
    write(folder / "法规", *editions)
    told(quick, folder, "import", "法规/manifest.json", "--corpus", corpus)
    return str(told(quick, folder, "publish", "--corpus", corpus)["corpusRevision"])


def told(quick: Forking, folder: Path, *arguments: str, status: int = 0) -> Any:
    """The JSON of one of the commands, which says nothing else."""
    done = quick("regulations", *arguments, cwd=folder)
    assert (done.status, done.err) == (status, b""), done
    return done.answer
