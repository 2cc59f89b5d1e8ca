"""A standard's number taken apart: one reading of it (matching specification, section 3)."""

from typing import NamedTuple

UNREADABLE = "?"
"""The year of a number whose last digits are no year and may still be meant as one."""

_CENTURY_TURN = 50


class Code(NamedTuple):
    """One reading of a number; letters are upper case, blanks are gone."""

    org: str
    """The issuing series, region included: GB, JTG, DB13, Q/CR, JJF(电子)."""
    num: str
    parts: tuple[str, ...] = ()
    """Parts with their separators: `.2`, `/2`, `-01`."""
    attr: str = ""
    """`T`, `Z`, `G` for a group standard, or nothing."""
    year: str = ""
    """Two or four digits, `UNREADABLE`, or nothing."""
    year_mark: str = "-"
    """`:` where a colon stood before the year, else `-`."""
    amend: str = ""
    """An amendment sheet: `XG1-2009`."""
    regional: bool = False
    """Whether a region number joined the org."""
    glued: bool = False
    """Whether the year was read from the end of the number's digits."""

    @property
    def edit_key(self) -> str:
        """The text in which one slip of the pen is looked for: everything but the year (section 4)."""
        if self.attr == "G":
            head = f"T/{self.org}"
        elif self.attr:
            head = f"{self.org}/{self.attr}"
        else:
            head = f"{self.org}-" if self.regional else self.org
        return head + self.num + "".join(self.parts)

    @property
    def order_year(self) -> int:
        """The year as a number for sorting: 50-99 are 19xx; 0 where there is none (section 7)."""
        if not self.year.isdecimal():
            return 0
        year = int(self.year)
        if len(self.year) == 2:
            return year + (1900 if year >= _CENTURY_TURN else 2000)
        return year
