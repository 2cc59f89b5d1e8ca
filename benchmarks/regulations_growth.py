"""A corpus grown by seeded recombination: the same on every machine, in the words of the real one."""

import hashlib
import random
from collections.abc import Iterable, Sequence
from dataclasses import replace

from providers.regulations.edition import Edition
from providers.regulations.node import Node
from providers.regulations.pointer import Revision
from providers.regulations.search.seam import Shelf
from providers.regulations.search.units import FOUND
from schemas.errors import NotFoundError


class GrownShelf:
    """`times` as many editions: the real ones, then copies whose sentences are drawn from all of them.

    It holds the nodes that a search finds, in memory, and is for reading only.
    """

    def __init__(self, real: Shelf, times: int, seed: int = 1) -> None:
        draw = random.Random(seed)
        originals = {one.edition_id: one for one in real.editions()}
        nodes = [node for node in real.nodes() if node.kind in FOUND]
        sentences = [part for node in nodes for part in node.text.split("。") if part.strip()]
        self._revision = f"{real.pinned()}x{times}"
        self._editions = dict(originals)
        self._nodes = {node.node_id: node for node in nodes}
        for copy in range(1, times):
            for node in nodes:
                self._add(originals[node.edition_id], node, copy, draw, sentences)

    def _add(
        self, edition: Edition, node: Node, copy: int, draw: random.Random, sentences: list[str]
    ) -> None:
        new = replace(
            edition,
            regulation_id=f"{edition.regulation_id}-{copy}",
            title=f"{edition.title}{copy:02d}",
            doc_no="",
        )
        self._editions.setdefault(new.edition_id, new)
        number = node.text.count("。") or 1
        text = "。".join(draw.choice(sentences) for _ in range(number)) + "。"
        node_id = f"{new.edition_id}#{node.node_id.partition('#')[2]}"
        self._nodes[node_id] = replace(
            node,
            regulation_id=new.regulation_id,
            edition_id=new.edition_id,
            node_id=node_id,
            text=text,
            sha256=hashlib.sha256(text.encode()).hexdigest(),
            pages=(),
        )

    def pinned(self, revision: str = "") -> str:
        """The only revision."""
        return revision or self._revision

    def revisions(self) -> Sequence[Revision]:
        """The only revision."""
        return [Revision(self._revision, "published", True, len(self._editions), len(self._nodes), "")]

    def editions(self, revision: str = "") -> Sequence[Edition]:  # noqa: ARG002 - there is one revision
        """All editions."""
        return [self._editions[one] for one in sorted(self._editions)]

    def nodes(self, revision: str = "") -> Iterable[Node]:  # noqa: ARG002 - there is one revision
        """All nodes, editions by id."""
        return sorted(self._nodes.values(), key=lambda node: (node.edition_id, node.ordinal))

    def node(self, revision: str, node_id: str) -> Node:  # noqa: ARG002 - there is one revision
        """One node."""
        try:
            return self._nodes[node_id]
        except KeyError as error:
            raise NotFoundError(f"{node_id} is not there", subject=node_id) from error
