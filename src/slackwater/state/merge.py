"""Merges segments into fewer and larger ones, without Spark and in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from slackwater.state.columns import bounded_file_rows, bounded_rows, regroup
from slackwater.state.segments import SegmentFile, map_segment, mean_row_bytes
from slackwater.state.snapshot import add_up, even_ranges
from slackwater.state.writer import SegmentTarget, SegmentWriter


def merge_segments(
    root: str | Path, files: Sequence[SegmentFile], directory: str, stem: str, partition_bits: int
) -> Iterator[SegmentFile]:
    """Write the sum of `files` as one file for each value of the top `partition_bits` of `_h`.

    Weights of equal rows are added and zeros dropped; a part without rows gets no file. The
    caller may stop after any file.
    """
    if not files:
        return
    # Mapped here, not kept open: merged files are soon deleted, and their space must be free.
    segments = [map_segment(Path(root) / file.path, whole=True) for file in files]
    limit = bounded_rows(1, mean_row_bytes(files))
    for number, hashes in enumerate(even_ranges(1 << partition_bits)):
        path, schema = f"{directory}/{stem}-{number}.arrow", segments[0].batches[0].schema
        with SegmentWriter(SegmentTarget(str(root), path, schema, consolidated=True)) as writer:
            for batch in regroup(add_up(segments, hashes, limit), bounded_file_rows):
                writer.write(batch)
        if writer.result is not None:
            yield writer.result
