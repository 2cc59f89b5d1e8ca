"""A log as a bundle, a tiles folder and JSON Lines: whole or not at all, and readable without us."""

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from blake3 import blake3

from evidence.audit import replay
from ledger.bundle import BundleLog, write_bundle
from ledger.checkpoint import Checkpoint
from ledger.export import written
from ledger.forms import open_log
from ledger.jsonl import write_jsonl
from ledger.signature_check import signature_breaks
from ledger.sqlite_readonly import open_readonly
from ledger.store import Reader
from ledger.tiles import _take_place, export_tiles, hash_tiles, tile_path
from ledger.tree import Frontier, Node, leaf_hash, node_hash
from schemas.errors import ConflictError, IntegrityError, NotFoundError, StorageError, UsageError
from schemas.ledger import read_raw
from tests.ledger.carried import Carried, carry, filler, items, packed, put
from tests.ledger.signing import ORIGIN, opened
from tests.ledger.steps import append, begin, edit, made, name_of, names, powerless, reachable


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Carried:
    return carry(tmp_path_factory.mktemp("signed"))


@pytest.mark.parametrize("form", ["bundle", "tiles"])
def test_what_was_carried_away_is_read_as_the_ledger_that_it_came_from(signed: Carried, form: str) -> None:
    carried = open_log(signed.bundle if form == "bundle" else signed.tiles)
    every = form == "bundle"  # a tiles folder has the last checkpoint only
    with open_readonly(signed.sqlite).read() as one, carried.read() as two:
        raws = list(one.records())
        record = read_raw(raws[-1][1])
        admission = record.subject.admission_id or ""
        questions: list[Callable[[Reader], object]] = [
            lambda reader: reader.head(),
            lambda reader: [reader.raw(seq) for seq in (-1, 0, 5, 10_000)],
            lambda reader: [list(reader.records(after)) for after in (-1, 7, 10_000)],
            lambda reader: [reader.body(read_raw(raw).body.digest) for _, raw in raws],
            lambda reader: reader.body(name_of(1)),
            lambda reader: reader.of_subject(admission),
            lambda reader: [reader.of_kind(kind) for kind in ("plan.created", "moon.rose")],
            lambda reader: [reader.latest(kind) for kind in ("plan.created", "moon.rose")],
            lambda reader: [sorted(reader.ids_like(admission[:at])) for at in (8, 12, 71)],
            lambda reader: reader.ids_like(admission.partition(":")[2][:9], "admission_id"),
            lambda reader: [reader.ids_like(prefix) for prefix in ("", "zzz", "sha256:0")],
            lambda reader: reader.has_schema(record.schema.name, record.schema.digest),
            lambda reader: reader.has_schema(record.schema.name, name_of(1)),
            lambda reader: [reader.subtree(level, 0) for level in range(4)] + [reader.subtree(1, 3)],
            lambda reader: [reader.checkpoint(size) for size in ((0, 1, 3) if every else ())],
            lambda reader: [reader.checkpoint(size) for size in (len(raws), 10_000)],
            lambda reader: reader.last_checkpoint(),
            lambda reader: list(reader.checkpoints())[0 if every else -1 :],
            lambda reader: list(reader.index_breaks()) + list(signature_breaks(reader)),
            lambda reader: replay(reader).to_wire(),
        ]
        for number, question in enumerate(questions):
            assert question(one) == question(two), number
        with pytest.raises(IntegrityError, match="tree row"):
            two.subtree(0, 10_000)
    carried.close()


def test_a_bundle_of_a_bundle_is_the_same_bytes_and_a_program_of_ten_lines_reads_it(
    signed: Carried, tmp_path: Path
) -> None:
    with BundleLog(signed.bundle).read() as reader:
        written(tmp_path / "again", lambda out: write_bundle(reader, out))
    raw = signed.bundle.read_bytes()
    assert (tmp_path / "again").read_bytes() == raw
    lines = [json.loads(line) for line in raw.splitlines()]
    assert lines[0] == {"format": "external_evidence_bundle_v1", "log": ORIGIN}
    end = lines[-1]["end"]
    assert end["sha256"] == sha256(raw[: raw.rindex(b'{"end"')]).hexdigest()
    for kind, plural in (("body", "bodies"), ("record", "records"), ("checkpoint", "checkpoints")):
        assert end[plural] == sum(kind in line for line in lines)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (b'{"format"', b'{"form"', "line 1 of the bundle: it is no header"),
        (b"bundle_v1", b"bundle_v9", "line 1 of the bundle: it is no header"),
        (b'{"format"', b"x", "line 1 of the bundle: it is no header"),
        (b'{"record":"', b'{"record": "', "it is not written as"),
        (b'{"record":"', b'{"record":"?', "it is not base64"),
        (b'{"record":"', b'{"thing":"', "it holds no record, body or checkpoint"),
        (b'{"checkpoint":"', b'{"a":1,"checkpoint":"', "it holds no record"),
        (b'{"body":"', b'{"body":1}\n{"body":"', "it holds no record"),
        (b'{"end"', b"", "is not"),
    ],
)
def test_a_line_that_is_none_of_a_bundle_is_named(
    signed: Carried, tmp_path: Path, old: bytes, new: bytes, complaint: str
) -> None:
    path = tmp_path / "x.bundle"
    path.write_bytes(signed.bundle.read_bytes().replace(old, new, 1))
    with pytest.raises(IntegrityError, match=complaint), BundleLog(path).read():
        pass


def test_base64_in_another_form_than_its_one_form_is_refused(tmp_path: Path) -> None:
    path = put(tmp_path / "x.bundle", [("record", b"a")])
    path.write_bytes(path.read_bytes().replace(b"YQ==", b"YR=="))
    with (
        pytest.raises(IntegrityError, match="line 2 of the bundle: it holds no record"),
        BundleLog(path).read(),
    ):
        pass


def test_a_bundle_that_is_cut_longer_or_not_there_says_so(signed: Carried, tmp_path: Path) -> None:
    raw, path = signed.bundle.read_bytes(), tmp_path / "x.bundle"
    path.write_bytes(raw[: raw.rindex(b'{"end"')])
    with pytest.raises(IntegrityError, match="was cut"), BundleLog(path).read():
        pass
    path.write_bytes(raw + b"\n")
    with BundleLog(path).read() as reader:
        assert [one.field for one in reader.index_breaks()] == ["end"]
    with pytest.raises(NotFoundError), BundleLog(tmp_path / "none").read():
        pass
    with pytest.raises(StorageError), BundleLog(tmp_path).read():
        pass


def test_a_bundle_of_nothing_has_no_head_and_a_checkpoint_of_nothing_is_named(
    signed: Carried, tmp_path: Path
) -> None:
    with BundleLog(put(tmp_path / "empty", [])).read() as reader:
        assert (reader.head(), reader.last_checkpoint(), list(reader.index_breaks())) == (None, None, [])
    notes = [item for item in items(signed.bundle) if item[0] == "checkpoint"]
    with BundleLog(put(tmp_path / "early", notes[:1])).read() as reader:
        assert [one.rule for one in reader.index_breaks()] == ["a checkpoint is of stored records"]
    twice = [item for one in items(signed.bundle) for item in ([one] * 2 if one == notes[3] else [one])]
    with BundleLog(put(tmp_path / "twice", twice)).read() as reader:
        assert list(reader.index_breaks()) == []


def test_each_line_of_jsonl_is_a_record_with_its_body(signed: Carried, tmp_path: Path) -> None:
    with open_readonly(signed.sqlite).read() as reader:
        written(tmp_path / "x.jsonl", lambda out: write_jsonl(reader, out))
        stored = [(raw, reader.body(read_raw(raw).body.digest)) for _, raw in reader.records()]
    lines = (tmp_path / "x.jsonl").read_bytes().splitlines()
    for line, (raw, body) in zip(lines, stored, strict=True):
        told = json.loads(line)
        assert told["record"] == json.loads(raw)
        assert told["body"] == json.loads(body or b"")
        assert told["id"] == f"blake3:{blake3(raw).hexdigest()}"


def test_a_body_that_is_gone_is_left_out_and_null(tmp_path: Path) -> None:
    carried = carry(tmp_path)
    edit(carried.sqlite, "DELETE FROM bodies WHERE rowid = 5")
    with open_readonly(carried.sqlite).read() as reader:
        written(tmp_path / "x.jsonl", lambda out: write_jsonl(reader, out))
        written(tmp_path / "x.bundle", lambda out: write_bundle(reader, out))
        export_tiles(reader, tmp_path / "more")
    bodies = [json.loads(line)["body"] for line in (tmp_path / "x.jsonl").read_bytes().splitlines()]
    assert bodies.count(None) == 1
    assert len(items(tmp_path / "x.bundle")) == len(items(carried.bundle)) - 1
    assert len(list((tmp_path / "more").rglob("*"))) == len(list(carried.tiles.rglob("*"))) - 1


@pytest.mark.parametrize(
    ("sql", "complaint"),
    [
        (
            "UPDATE records SET raw = (SELECT raw FROM records WHERE seq = 3) WHERE seq = 4",
            "record 4: seq is 3",
        ),
        ("UPDATE records SET raw = x'7b7d' WHERE seq = 4", "record 4: "),
        ("UPDATE bodies SET bytes = x'7b7d' WHERE rowid = 3", "is another"),
        ("UPDATE checkpoints SET size = 50 WHERE size = 1", "a checkpoint of 50 records"),
    ],
)
def test_a_damaged_ledger_is_not_exported_and_nothing_is_left_behind(
    tmp_path: Path, sql: str, complaint: str
) -> None:
    carried = carry(tmp_path)
    edit(carried.sqlite, sql)
    (tmp_path / "out").mkdir()
    with open_readonly(carried.sqlite).read() as reader:
        for name, write in (("a", write_bundle), ("b", write_jsonl)):
            with pytest.raises(IntegrityError, match=complaint):
                written(tmp_path / "out" / name, lambda out, write=write: write(reader, out))  # type: ignore[misc]
        with pytest.raises(IntegrityError):
            export_tiles(reader, tmp_path / "out" / "c")
    assert names(tmp_path / "out") == []


def test_nothing_is_overwritten_and_a_full_or_read_only_disk_is_told(signed: Carried) -> None:
    with reachable() as folder, open_readonly(signed.sqlite).read() as reader:
        (folder / "there").write_text("mine")
        with pytest.raises(ConflictError):
            written(folder / "there", lambda out: write_bundle(reader, out))
        with pytest.raises(ConflictError):
            export_tiles(reader, folder / "there")
        with powerless(folder):
            with pytest.raises(StorageError, match="cannot be written"):
                written(folder / "x", lambda out: write_bundle(reader, out))
            with pytest.raises(StorageError, match="cannot be written"):
                export_tiles(reader, folder / "x")
        assert names(folder) == ["there"]


def test_older_tiles_keep_their_place_until_the_new_ones_have_it(signed: Carried, tmp_path: Path) -> None:
    (tmp_path / "tiles").mkdir()
    (tmp_path / "tiles" / "old").touch()
    with pytest.raises(FileNotFoundError):
        _take_place(tmp_path / "tiles.gone.new", tmp_path / "tiles")
    assert names(tmp_path / "tiles") == ["old"]
    (tmp_path / "tiles" / "old").unlink()
    with open_readonly(signed.sqlite).read() as reader:
        export_tiles(reader, tmp_path / "tiles")
        with pytest.raises(ConflictError, match="holds tiles of this log already"):
            export_tiles(reader, tmp_path / "tiles")
        export_tiles(reader, tmp_path / "tiles", force=True)
    assert names(tmp_path) == ["tiles"]
    with reachable() as folder, open_readonly(signed.sqlite).read() as reader:
        (folder / "tiles").mkdir()
        (folder / "tiles").chmod(0)
        with powerless(), pytest.raises(StorageError, match="cannot be looked at"):
            export_tiles(reader, folder / "tiles")
        (folder / "tiles").chmod(0o700)


def test_a_log_without_a_key_or_a_record_has_no_tiles_folder(tmp_path: Path) -> None:
    path = made(tmp_path / "l.sqlite3", 3)
    with open_readonly(path).read() as reader, pytest.raises(UsageError, match="without a key"):
        export_tiles(reader, tmp_path / "tiles")
    with (
        BundleLog(put(tmp_path / "empty", [])).read() as reader,
        pytest.raises(UsageError, match="no record"),
    ):
        export_tiles(reader, tmp_path / "tiles")
    held = items(carry(tmp_path / "more").bundle)
    with BundleLog(put(tmp_path / "unsigned", held[:-1])).read() as reader, pytest.raises(IntegrityError):
        export_tiles(reader, tmp_path / "tiles")


@pytest.mark.parametrize(
    ("index", "width", "path"),
    [
        (0, 256, "tile/0/000"), (5, 17, "tile/0/005.p/17"), (999, 256, "tile/0/999"),
        (1234067, 256, "tile/0/x001/x234/067"), (1000, 1, "tile/0/x001/000.p/1"),
    ],
)  # fmt: skip
def test_tiles_are_where_tlog_tiles_puts_them(index: int, width: int, path: str) -> None:
    assert tile_path("0", index, width) == path


def paths_of(node: Node, size: int) -> list[str]:
    return [tile_path(str(level), index, len(made) // 32) for level, index, made in hash_tiles(node, size)]


def test_the_tiles_of_seventy_thousand_records_are_those_of_the_specification() -> None:
    cache: dict[tuple[int, int], bytes] = {}

    def node(level: int, index: int) -> bytes:
        if level == 0:
            return leaf_hash(index.to_bytes(4))
        if (level, index) not in cache:
            cache[level, index] = node_hash(node(level - 1, 2 * index), node(level - 1, 2 * index + 1))
        return cache[level, index]

    paths = paths_of(node, 70_000)
    assert len(paths) == 273 + 1 + 1 + 1 + 1
    assert paths[272:] == [
        "tile/0/272", "tile/0/273.p/112", "tile/1/000", "tile/1/001.p/17", "tile/2/000.p/1",
    ]  # fmt: skip
    assert paths_of(node, 256) == ["tile/0/000", "tile/1/000.p/1"]


def test_a_tiles_folder_holds_every_record_and_its_hashes_lead_to_the_signed_root(tmp_path: Path) -> None:
    ledger = opened(tmp_path)
    append(ledger, *(filler(number) for number in range(600)))
    carried = packed(tmp_path, ledger)
    _, checkpoint = Checkpoint.of((carried.tiles / "checkpoint").read_bytes())
    raws = []
    for name in ("000", "001", "002.p/89"):
        raw = (carried.tiles / "tile/entries" / name).read_bytes()
        while raw:
            length = int.from_bytes(raw[:2])
            raws.append(raw[2 : 2 + length])
            raw = raw[2 + length :]
    with open_readonly(carried.sqlite).read() as reader:
        assert list(enumerate(raws)) == list(reader.records())
    leaves = b"".join((carried.tiles / "tile/0" / name).read_bytes() for name in ("000", "001", "002.p/89"))
    tree = Frontier()
    for at in range(0, len(leaves), 32):
        tree, _ = tree.append(leaves[at : at + 32])
    assert (tree.size, tree.root()) == (checkpoint.size, checkpoint.root) == (601, checkpoint.root)
    assert len((carried.tiles / "tile/1/000.p/2").read_bytes()) == 64
    assert not (carried.tiles / "policy").exists()


def test_a_ledger_in_use_is_exported(tmp_path: Path) -> None:
    ledger = begin(tmp_path / "l.sqlite3")
    append(ledger, filler(1))
    with ledger.read() as reader:
        written(tmp_path / "x.bundle", lambda out: write_bundle(reader, out))
    append(ledger, filler(2))
    ledger.close()
    with BundleLog(tmp_path / "x.bundle").read() as reader:
        assert len(list(reader.records())) == 2


def test_what_a_killed_export_left_goes_with_the_next_one(tmp_path: Path) -> None:
    path = made(tmp_path / "l.sqlite3", 2)
    (tmp_path / "x.bundle.0123456789abcdef.new").write_bytes(b"half")
    with open_readonly(path).read() as reader:
        written(tmp_path / "x.bundle", lambda out: write_bundle(reader, out))
    assert names(tmp_path) == ["l.sqlite3", "x.bundle"]
