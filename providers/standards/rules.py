"""The eight departures from the design's letter, each a switch (matching specification, R1-R8)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Rules:
    """All on is the recommended matcher; all off is the bare text of the matcher design."""

    quoted_name: bool = True
    """R1: what stands in 《》 is the name."""
    edition_notes: bool = True
    """R2: editions such as (2015年版) and file endings are no part of a name."""
    noise_words: bool = True
    """R3: beside a number, words such as 现行国家标准 are no name."""
    quiet_typo: bool = True
    """R4: a number that the library holds is not also read as a slip for its neighbours."""
    glued_attribute: bool = True
    """R5: GBT is GB/T."""
    year_mark: bool = True
    """R6: the mark before the year, - or :, does not matter."""
    contained_floor: bool = True
    """R7: a short title inside a long query is no match."""
    group_mark: bool = True
    """R8: the T/ of a group standard is an attribute, as the /T of GB/T is."""

    @classmethod
    def literal(cls) -> "Rules":
        """The bare text of the matcher design: all eight off."""
        return cls(*(False for _ in cls.__dataclass_fields__))
