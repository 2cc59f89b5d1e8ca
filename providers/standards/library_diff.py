"""What changed from one library to another, by code and field by field."""

from dataclasses import dataclass

from providers.standards.library import Library, StandardRecord, code_key

Change = dict[str, tuple[str, str]]


@dataclass(frozen=True)
class Difference:
    """Records that came, went, or state something else; `changed` has old and new of each field."""

    added: tuple[StandardRecord, ...]
    removed: tuple[StandardRecord, ...]
    changed: tuple[tuple[str, Change], ...]

    def to_wire(self) -> dict[str, object]:
        """The difference as the doors print it."""
        return {
            "added": [record.to_wire() for record in self.added],
            "removed": [record.to_wire() for record in self.removed],
            "changed": [
                {
                    "code": code,
                    "fields": {name: {"old": old, "new": new} for name, (old, new) in fields.items()},
                }
                for code, fields in self.changed
            ],
        }


def difference(old: Library, new: Library) -> Difference:
    """Records are the same when their codes are (matching, section 7); their order is no difference."""
    before = {code_key(record.code): record for record in old.records}
    after = {code_key(record.code): record for record in new.records}
    pairs = [(before[key], record) for key, record in after.items() if key in before]
    return Difference(
        added=tuple(record for key, record in after.items() if key not in before),
        removed=tuple(record for key, record in before.items() if key not in after),
        changed=tuple((found.code, fields) for known, found in pairs if (fields := _fields(known, found))),
    )


def _fields(old: StandardRecord, new: StandardRecord) -> Change:
    stated, found = old.to_wire(), new.to_wire()
    return {name: (str(stated[name]), str(found[name])) for name in stated if stated[name] != found[name]}
