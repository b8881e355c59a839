"""What a benchmark found: a row for each profile and peer, as a table and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.bench.contender import Played
from engine.bench.metrics import Measured
from engine.bench.recordings import Recording
from engine.stats import percentiles


@dataclass(slots=True)
class Row:
    """One profile or peer over all recordings.

    Attributes:
        name: the profile, or the peer with its version.
        is_peer: it is another program.
        measured: what a reader met.
        audio_s, cpu_s, compute_s, lost_samples, peak_rss_mb, load_s: see ``Played``; summed, the
            highest memory, the longest load.
        invented: recordings in which nobody speaks and which were captioned all the same.
        parts: each recording's own figures.
    """

    name: str
    is_peer: bool = False
    measured: Measured = field(default_factory=Measured)
    audio_s: float = 0.0
    cpu_s: float = 0.0
    compute_s: float = 0.0
    lost_samples: int = 0
    peak_rss_mb: float | None = None
    load_s: float | None = None
    invented: int = 0
    parts: list[tuple[Recording, Row]] = field(default_factory=list)

    def add(self, recording: Recording, played: Played) -> None:
        """Count one recording."""
        part = Row(self.name, self.is_peer)
        part._count(recording, played)
        self.parts.append((recording, part))
        self.measured.add(part.measured)
        self.audio_s += part.audio_s
        self.cpu_s += part.cpu_s
        self.compute_s += part.compute_s
        self.lost_samples += part.lost_samples
        self.invented += part.invented
        if part.peak_rss_mb is not None:
            self.peak_rss_mb = max(self.peak_rss_mb or 0.0, part.peak_rss_mb)
        if part.load_s is not None:
            self.load_s = max(self.load_s or 0.0, part.load_s)

    def _count(self, recording: Recording, played: Played) -> None:
        self.measured.measure(played.timeline, recording.reference, recording.ends)
        self.audio_s, self.cpu_s = played.audio_s, played.cpu_s
        self.compute_s, self.lost_samples = played.compute_s, played.lost_samples
        self.peak_rss_mb, self.load_s = played.peak_rss_mb, played.load_s
        self.invented = int(recording.transcript == "" and self.measured.characters > 0)

    @property
    def rtf(self) -> float:
        """Seconds at work / seconds of sound."""
        return self.compute_s / self.audio_s if self.audio_s else 0.0

    @property
    def cores(self) -> float:
        """Processor seconds / seconds of sound, loading the model left out."""
        return self.cpu_s / self.audio_s if self.audio_s else 0.0

    def figures(self) -> dict[str, float | None]:
        """All figures by name; None where there was nothing to take one from."""
        measured = self.measured
        first, stable = percentiles(measured.first), percentiles(measured.stable)
        shown = measured.characters > 0
        return {
            "first_p50_ms": first.p50,
            "first_p95_ms": first.p95,
            "stable_p50_ms": stable.p50,
            "stable_p95_ms": stable.p95,
            "erasure": measured.erasure if shown else None,
            "erasure_stable": measured.erased_stable / measured.characters if shown else None,
            "wer_percent": measured.wer if measured.words else None,
            "rtf": self.rtf,
            "cores": self.cores,
            "peak_rss_mb": self.peak_rss_mb,
            "lost_samples": float(self.lost_samples),
        }


@dataclass(frozen=True, slots=True)
class Offline:
    """The same weights on whole stretches of speech."""

    errors: int
    words: int
    compute_s: float
    audio_s: float

    @property
    def wer(self) -> float | None:
        """Per cent; None without a transcript."""
        return 100.0 * self.errors / self.words if self.words else None


@dataclass(frozen=True, slots=True)
class Report:
    """All that a benchmark found.

    Attributes:
        version, model, provider: what ran.
        virtual_time: sound was not fed in real time.
        machine: see ``machine.describe``.
        load_at_start, load_at_end: load averages.
        recordings: what was measured on.
        offline: None where no recording has a transcript.
        rows: profiles, then peers.
        left_out: peers and recordings that were not measured, and why.
    """

    version: str
    model: str
    provider: str
    virtual_time: bool
    machine: dict[str, str | int]
    load_at_start: list[float]
    load_at_end: list[float]
    recordings: Sequence[Recording]
    offline: Offline | None
    rows: Sequence[Row]
    left_out: Sequence[str]

    @property
    def silent(self) -> int:
        """Recordings in which nobody speaks."""
        return sum(recording.transcript == "" for recording in self.recordings)

    def ratios(self) -> dict[str, dict[str, dict[str, float | None]]]:
        """Each profile's figures over each peer's: by profile, peer and figure."""
        peers = [row for row in self.rows if row.is_peer]
        return {
            row.name: {peer.name: _ratio(row.figures(), peer.figures()) for peer in peers}
            for row in self.rows
            if not row.is_peer and peers
        }

    def json(self) -> dict[str, Any]:
        """Everything, ready for ``json.dumps``."""
        return {
            "version": self.version,
            "model": self.model,
            "provider": self.provider,
            "feeding": "virtual time" if self.virtual_time else "real time",
            "machine": {
                **self.machine,
                "load_at_start": self.load_at_start,
                "load_at_end": self.load_at_end,
            },
            "notes": {
                "cores": _cores_note(self.virtual_time),
                "latency": "from a word's end in the sound to a reader's seeing it",
            },
            "recordings": [
                {
                    "path": str(recording.path),
                    "seconds": recording.seconds,
                    "language": recording.language,
                    "gives": recording.gives,
                    "reference_words": len(recording.reference or ()),
                }
                for recording in self.recordings
            ],
            "silent_recordings": self.silent,
            "offline": {
                "wer_percent": _rounded(self.offline.wer),
                "errors": self.offline.errors,
                "words": self.offline.words,
                "compute_s": _rounded(self.offline.compute_s),
                "audio_s": _rounded(self.offline.audio_s),
            }
            if self.offline
            else None,
            "rows": [self._row(row) for row in self.rows],
            "ratios": {
                profile: {peer: _all_rounded(figures) for peer, figures in peers.items()}
                for profile, peers in self.ratios().items()
            },
            "left_out": list(self.left_out),
        }

    def _row(self, row: Row) -> dict[str, Any]:
        figures = row.figures()
        return {
            "name": row.name,
            "kind": "peer" if row.is_peer else "profile",
            **_all_rounded(figures),
            "wer_over_offline": _rounded(self._over_offline(figures)),
            "word_errors": row.measured.errors,
            "reference_words": row.measured.words,
            "words_timed": len(row.measured.first),
            "characters": row.measured.characters,
            "silent_recordings_captioned": row.invented,
            "audio_s": _rounded(row.audio_s),
            "cpu_s": _rounded(row.cpu_s),
            "compute_s": _rounded(row.compute_s),
            "load_s": _rounded(row.load_s),
            "recordings": [
                {
                    "path": str(recording.path),
                    "audio_s": _rounded(part.audio_s),
                    "word_errors": part.measured.errors,
                    "reference_words": part.measured.words,
                    **_all_rounded(part.figures()),
                }
                for recording, part in row.parts
            ],
        }

    def _over_offline(self, figures: dict[str, float | None]) -> float | None:
        wer = figures["wer_percent"]
        if wer is None or self.offline is None or self.offline.wer is None:
            return None
        return wer - self.offline.wer

    def table(self) -> str:
        """The same for people: lines of at most about 110 columns."""
        heads = [
            "", "first p50/p95", "stable p50/p95", "erasure", "of stable", "WER %", "over", "RTF",
            "cores", "MB", "lost",
        ]  # fmt: skip
        body = [self._cells(row.name, row.figures()) for row in self.rows]
        if self.offline is not None:
            offline = f"{self.offline.wer:.1f}" if self.offline.wer is not None else "-"
            rtf = f"{self.offline.compute_s / max(self.offline.audio_s, 1e-9):.2f}"
            body.append(["offline", "", "", "", "", offline, "", rtf, "", "", ""])
        for profile, peers in self.ratios().items():
            for peer, figures in peers.items():
                body.append(_ratio_cells(f"{profile} : {peer}", figures))
        return "\n".join([*_aligned([heads, *body]), "", *self._foot()])

    def _cells(self, name: str, figures: dict[str, float | None]) -> list[str]:
        return [
            name,
            _pair(figures["first_p50_ms"], figures["first_p95_ms"], "{:.0f}"),
            _pair(figures["stable_p50_ms"], figures["stable_p95_ms"], "{:.0f}"),
            _cell(figures["erasure"], "{:.3f}"),
            _cell(figures["erasure_stable"], "{:.3f}"),
            _cell(figures["wer_percent"], "{:.1f}"),
            _cell(self._over_offline(figures), "{:+.1f}"),
            _cell(figures["rtf"], "{:.2f}"),
            _cell(figures["cores"], "{:.2f}"),
            _cell(figures["peak_rss_mb"], "{:.0f}"),
            _cell(figures["lost_samples"], "{:.0f}"),
        ]

    def _foot(self) -> Iterable[str]:
        machine = self.machine
        yield (
            f"{self.model} on {self.provider}, {'virtual' if self.virtual_time else 'real'} time, "
            f"{len(self.recordings)} recordings, {sum(r.audio_s for r in self.rows[:1]):.0f} s. "
            f"Latencies in ms. {_cores_note(self.virtual_time)}."
        )
        yield (
            f"{machine['cpu']}, {machine['cores']} cores, {machine['system']}, Python "
            f"{machine['python']}, {machine['onnxruntime']}; load {_loads(self.load_at_start)} at "
            f"the start, {_loads(self.load_at_end)} at the end."
        )
        if self.silent:
            captioned = ", ".join(f"{row.name} {row.invented}" for row in self.rows)
            yield f"Captioned of {self.silent} recordings in which nobody speaks: {captioned}."
        for kind in ("latency only", "word errors only", "cost only"):
            names = [recording.name for recording in self.recordings if recording.gives == kind]
            if names:
                yield f"{kind.capitalize()}: {', '.join(names)}."
        for why in self.left_out:
            yield f"Left out: {why}."


def _cores_note(virtual_time: bool) -> str:
    if virtual_time:
        return "cores: CPU seconds of captioning / seconds of sound; the model is loaded before"
    return (
        "cores: CPU seconds of the process / seconds of sound, loading the model left out; "
        "MB: its peak memory, loading included"
    )


def _ratio(
    ours: dict[str, float | None], theirs: dict[str, float | None]
) -> dict[str, float | None]:
    def over(name: str) -> float | None:
        here, there = ours[name], theirs[name]
        return here / there if here is not None and there is not None and there > 0 else None

    return {name: over(name) for name in ours if name not in ("erasure_stable", "lost_samples")}


def _ratio_cells(name: str, figures: dict[str, float | None]) -> list[str]:
    form = "{:.2f}x"
    return [
        name,
        _pair(figures["first_p50_ms"], figures["first_p95_ms"], form),
        _pair(figures["stable_p50_ms"], figures["stable_p95_ms"], form),
        _cell(figures["erasure"], form),
        "",
        _cell(figures["wer_percent"], form),
        "",
        _cell(figures["rtf"], form),
        _cell(figures["cores"], form),
        _cell(figures["peak_rss_mb"], form),
        "",
    ]


def _cell(value: float | None, form: str) -> str:
    return "-" if value is None else form.format(value)


def _pair(low: float | None, high: float | None, form: str) -> str:
    return f"{_cell(low, form)} / {_cell(high, form)}"


def _aligned(rows: Sequence[Sequence[str]]) -> Iterable[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        first, *rest = (
            f"{cell:<{width}}" if place == 0 else f"{cell:>{width}}"
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join([first, *rest]).rstrip()


def _loads(loads: Sequence[float]) -> str:
    return f"{loads[0]:.2f}" if loads else "unknown"


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _all_rounded(figures: dict[str, float | None]) -> dict[str, float | None]:
    return {name: _rounded(value) for name, value in figures.items()}
