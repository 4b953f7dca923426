"""The shares of percentiles, as Spark writes them."""

from __future__ import annotations

import re

from slackwater.expr.nodes import Expr, Literal

_SHARE = re.compile(r"\d+(\.\d+)?(E-?\d+)?")
_SHARES = re.compile(r"ARRAY\((.*)\)")


def written_shares(shares: Expr) -> tuple[str, ...]:
    """The digits of a share, or of each in an array; none if they are not written out.

    >>> from slackwater.types import DOUBLE, ArrayType
    >>> written_shares(Literal("ARRAY(0.25D, 0.9D)", ArrayType(DOUBLE, False)))
    ('0.25', '0.9')
    """
    if not isinstance(shares, Literal) or shares.value is None:
        return ()
    listed = _SHARES.fullmatch(shares.value)
    texts = [shares.value] if listed is None else listed[1].split(", ")
    found = tuple(text.removesuffix("D") for text in texts)
    return found if all(map(_SHARE.fullmatch, found)) else ()
