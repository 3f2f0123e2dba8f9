# SPDX-License-Identifier: Apache-2.0
"""What a loader did so far."""

from __future__ import annotations

from typing import Any


class Stats(dict[str, Any]):
    """Numbers by name, times in ms; print it, or let rich or a notebook show it.

    samples, batches, samples_per_s; waited_ms, waited_share (of the consumer, for batches);
    read_ms, decode_ms, transform_ms, write_ms (of all threads together); threads, threads_most;
    indexed (samples with an entry in the index), reads_ahead (reading is slow and has threads of
    its own); handed_over, handed_over_reasons (files that Pillow decoded); errors, bad_samples
    (the first ones, with path and reason); repeated, dropped (of the epoch, for all ranks to end
    together).
    """

    def rows(self) -> list[tuple[str, str]]:
        busy = sum(self[f"{stage}_ms"] for stage in ("read", "decode", "transform", "write"))
        rows = [
            ("samples", f"{self['samples']:,} in {self['batches']:,} batches"),
            ("speed", f"{self['samples_per_s']:,.0f} samples/s"),
            ("waited for", f"{self['waited_share']:.1%} of the time"),
            ("threads", f"{self['threads']} of {self['threads_most']}"),
        ]
        if busy > 0:
            stages = ("read", "decode", "transform", "write")
            shares = (f"{stage} {self[f'{stage}_ms'] / busy:.0%}" for stage in stages)
            rows.append(("their time", ", ".join(shares)))
        if self["indexed"]:
            rows.append(("by index", f"{self['indexed'] / max(1, self['samples']):.0%} of samples"))
        if self["handed_over"]:
            reasons = "; ".join(f"{n} x {text}" for text, n in self["handed_over_reasons"].items())
            rows.append(("by Pillow", f"{self['handed_over']:,} ({reasons})"))
        if self["errors"]:
            first = self["bad_samples"][0]
            rows.append(("bad", f"{self['errors']:,}, first {first['name']}: {first['reason']}"))
        if self["repeated"] or self["dropped"]:
            rows.append(("ends", f"{self['repeated']} repeated, {self['dropped']} left out"))
        return rows

    def __str__(self) -> str:
        return "\n".join(f"{name:<11} {text}" for name, text in self.rows())

    def __rich__(self) -> Any:
        from rich.table import Table

        table = Table(title="stoker.ImageLoader", show_header=False)
        for name, text in self.rows():
            table.add_row(name, text)
        return table

    def _repr_html_(self) -> str:
        import html

        cells = "".join(
            f"<tr><th>{html.escape(n)}</th><td>{html.escape(t)}</td></tr>" for n, t in self.rows()
        )
        return f"<table>{cells}</table>"
