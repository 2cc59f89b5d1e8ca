"""Reports as pages, and what somebody who knows of their seal would do to it."""

import re
from collections.abc import Callable
from pathlib import Path

from evidence.audit import replay
from evidence.rendering import report_html
from evidence.rendering.report_content import Made
from evidence.rendering.report_html import Bounds
from evidence.story import story
from evidence.verify import verify_replayed
from ledger.sqlite_readonly import open_readonly
from schemas.canonical import digest_bytes

MADE = Made("0.0.0", "2026-03-04T05:06:07.000000Z")
Edit = Callable[[str], str]


def report(path: Path, language: str = "zh", bounds: Bounds | None = None) -> str:
    """The page of the ledger at `path`."""
    with open_readonly(path).read() as reader:
        judged = verify_replayed(reader, replay(reader)).to_wire()
        parts = report_html.render(story(reader), judged, MADE, language, bounds=bounds)
        return "".join(parts)


def resealed(page: str) -> str:
    """The page with the seal of what it shows now, as an editor who knows of it would leave it."""
    found = re.fullmatch(
        "<!DOCTYPE html>\n(<html.*?>)\n<head>\n(.*)</head>\n(<body>)\n(<main>.*)\n<footer.*</footer>\n"
        "(<script>.*</script>)\n</body>\n</html>\n",
        page,
        re.DOTALL,
    )
    assert found is not None
    sealed = [found[1], re.sub(r"(?<=>)\n(?=<|$)", "", found[2]), *found.groups()[2:]]
    own = digest_bytes("".join(sealed).encode(), "sha256")
    return re.sub('(?<=<footer id="seal">)(.*?)<code>.*?</code>', rf"\1<code>{own}</code>", page, count=1)
