"""Names for what the compiler adds, none of which a user has taken."""

from __future__ import annotations

from collections.abc import Iterable


class Names:
    """Gives out names that are not in use.

    >>> names = Names(["A", "U_A"])
    >>> names.fresh("U_A"), names.fresh("V_A"), names.fresh("V_A")
    ('U_A_2', 'V_A', 'V_A_2')
    """

    def __init__(self, taken: Iterable[str]):
        """Begin with the names of a program."""
        self._taken = set(taken)

    def fresh(self, wanted: str) -> str:
        """The wanted name, or the next one like it that is free."""
        name, count = wanted, 1
        while name in self._taken:
            count += 1
            name = f"{wanted}_{count}"
        self._taken.add(name)
        return name
