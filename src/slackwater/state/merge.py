"""Merges segments into fewer and larger ones, without Spark and in bounded memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa

from slackwater.state.columns import HASH, WEIGHT, stored_schema
from slackwater.state.matching import Arrangement
from slackwater.state.segments import SegmentFile, open_segment
from slackwater.state.snapshot import Range, even_ranges, scan
from slackwater.state.writer import SegmentWriter


def merge_segments(
    root: str | Path, files: Sequence[SegmentFile], directory: str, stem: str, partition_bits: int
) -> list[SegmentFile]:
    """Write the sum of `files` as one file for each value of the top `partition_bits` of `_h`.

    Weights of equal rows are added and zeros dropped; a part without rows gets no file.
    """
    if not files:
        return []
    arrangement = Arrangement(str(root), tuple(files), _columns(str(root), files[0]))
    written = [
        _write_range(arrangement, hashes, f"{directory}/{stem}-{number}.arrow")
        for number, hashes in enumerate(even_ranges(1 << partition_bits))
    ]
    return [file for file in written if file is not None]


def _columns(root: str, file: SegmentFile) -> pa.Schema:
    schema = open_segment(root, file).batches[0].schema
    return pa.schema([each for each in schema if each.name not in (HASH, WEIGHT)])


def _write_range(arrangement: Arrangement, hashes: Range, path: str) -> SegmentFile | None:
    schema = stored_schema(arrangement.columns)
    with SegmentWriter(arrangement.root, path, schema, consolidated=True, attempt=0) as writer:
        for batch in scan(arrangement, hashes, net=True):
            writer.write(batch)
    return writer.result
