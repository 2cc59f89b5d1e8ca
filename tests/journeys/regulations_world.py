"""A user's folder with a published corpus, a search service and a site, and what its ledger says of calls."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ledger.sqlite import SqliteLedger
from schemas.ledger import read_raw
from schemas.outside import parse
from tests.doors.command import clean
from tests.doors.forking import Forking
from tests.providers.web.asking import body, healthy
from tests.providers.web.capture.peer import Peer, page
from tests.providers.web.search.faking import Fake, says
from tests.world import Clock

QUERY = "边坡支护结构几年检验一次"
QUESTION = (
    *("--objective", "边坡支护几年检验一次？", "--user-activity", "审查运维方案", "--decision", "是否退回"),
    *("--evidence-kind", "regulation_text", "--prefer", "connector:regulations"),
)
ASK = (*QUESTION, "--search-term", QUERY)
DUAL = ("--constraint", "dual_source")
ADMIT = ("--decision", "admit", "--reason", "条文可查", "--all-sources")
FIELDS = {"revision", "count", "state", "querySha256"}
HTML = "Content-Type: text/html; charset=utf-8"
DEEP = "页面深处的话一二三四"
PAGE = f"<title>滨海市公报</title><p>第三条 边坡支护结构应当每三年检验一次。</p><p>第九条 {DEEP}</p>"


@dataclass
class Life:
    """The commands of one folder; each answer that is kept is a file by its name."""

    quick: Forking
    folder: Path
    corpus: str = "corpus.sqlite3"

    def __call__(self, *arguments: str, status: int = 0, corpus: bool = False) -> Any:
        more = ("--corpus", self.corpus) if corpus else ()
        done = self.quick(*arguments, *more, cwd=self.folder)
        assert (done.status, done.err) == (status, b""), done
        (self.folder / "last.json").write_bytes(done.out)
        return done.answer

    def keep(self, name: str, *arguments: str, status: int = 0, corpus: bool = False) -> Any:
        answer = self(*arguments, status=status, corpus=corpus)
        (self.folder / "last.json").replace(self.folder / f"{name}.json")
        return answer

    def row(self, *options: str) -> Any:
        """What discovery says of the connector."""
        found = self("discover", *options, corpus=True)["providers"]
        [row] = [one for one in found if one["provider_id"] == "connector:regulations"]
        return row

    def receipt(self, *asked: str, status: int = 0, options: tuple[str, ...] = ()) -> Any:
        """Plan and execute; the receipt."""
        self.keep("plan", "plan", *asked, *options, corpus=True)
        run = ("execute", "plan.json", "--allow-network", *options)
        return self.keep("receipt", *run, status=status, corpus=True)["receipt"]

    def finish(self) -> Any:
        """Admit all, project, read back and retire; the report of the replay."""
        self.keep("admission", "admit", "receipt.json", *ADMIT)
        assert self("retire", "admission.json", status=1)["status"] == "retained"
        written = self("readback", "--execute", "admission.json")
        assert written["write_blockers"] == []
        assert self("retire", "admission.json")["status"] == "retire_ready"
        return clean(self.folder, call=self.quick)

    def calls(self) -> list[tuple[str, dict[str, Any]]]:
        """Action and evidence of every provider call in the ledger, as they were recorded."""
        path = self.folder / ".external-evidence" / "ledger.sqlite3"
        found = []
        with closing(SqliteLedger.open(path, Clock())) as ledger, ledger.read() as reader:
            for _, raw in reader.records():
                record = read_raw(raw)
                if record.kind == "provider.called":
                    assert record.actor == "plugin:connector.regulations"
                    told: Any = parse(reader.body(record.body.digest) or b"")
                    assert set(told) == {"schema_version", "action", "owner", "target", "evidence"}, told
                    assert set(told["evidence"]) <= FIELDS
                    found.append((told["action"], told["evidence"]))
        return found

    def kept(self) -> dict[Path, bytes]:
        """Every byte that the lifecycle left here, the corpus and its sources aside."""
        files = (path for path in self.folder.rglob("*") if path.is_file())
        return {path: path.read_bytes() for path in files if not self._own(path)}

    def _own(self, path: Path) -> bool:
        parts = path.relative_to(self.folder).parts
        return parts[0].startswith(self.corpus) or parts[0] == "法规"


def web_file(folder: Path, fake: Fake, site: Peer, **capture: object) -> tuple[str, str]:
    """The option that names settings under which the service is asked and the site captured."""
    given = {"pages": 2, "spacing": 0, "seconds": 5, "robots": "false", "allow_ports": [site.port], **capture}
    lines = ["[search]", f'url = "{fake.url}"', "[capture]", 'allow_networks = ["127.0.0.0/8"]']
    lines += [f"{name} = {value}" for name, value in given.items()]
    (folder / "web.toml").write_text("\n".join(lines), encoding="utf-8")
    return "--web", "web.toml"


def finding(fake: Fake, site: Peer, *targets: str) -> list[str]:
    """Have the service find these pages of the site, whatever it is asked; their addresses."""
    urls = [site.url(target, "127.0.0.1") for target in targets]
    healthy(fake, says(200, body(QUERY, urls)))
    site.requests.clear()
    for target in targets:
        site.answer(target, page(PAGE.encode(), 200, HTML))
    return urls
