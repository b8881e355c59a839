"""The values that travel between the rooms. Frozen, slotted; times are seconds on the stream clock.

The stream clock counts samples from the opening of the stream and never restarts: a gap, a pause,
a device change or a model swap cannot shift a timestamp.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Samples = NDArray[np.float32]
else:
    # The window speaks of captions and notices, and is seen before numpy could be loaded.
    Samples = "NDArray[np.float32]"

SAMPLE_RATE = 16_000
"""Hz. What every recogniser and the VAD are fed; sources are resampled to it."""


@dataclass(frozen=True, slots=True)
class AudioChunk:
    """A run of sound as it came from a source.

    Attributes:
        samples: float32 mono, shape (n,), full scale is ±1.
        sample_rate: Hz.
        first_sample: index of ``samples[0]`` since the stream opened, at ``sample_rate``.
        captured_at: ``time.monotonic()`` when the last sample of the chunk was captured.
        lost_before: samples missing between the previous chunk and this one, at ``sample_rate``.
    """

    samples: Samples
    sample_rate: int
    first_sample: int
    captured_at: float
    lost_before: int = 0


@dataclass(frozen=True, slots=True)
class Word:
    """One word with its time.

    Attributes:
        text: as shown, punctuation included, no surrounding space.
        start, end: seconds on the stream clock.
        probability: the model's own, 0..1, or None where the family gives none.
    """

    text: str
    start: float
    end: float
    probability: float | None = None


@dataclass(frozen=True, slots=True)
class Segment:
    """A finished line."""

    id: int
    words: tuple[Word, ...]
    text: str
    start: float
    end: float
    language: str = ""


@dataclass(frozen=True, slots=True)
class CaptionUpdate:
    """The whole state of one caption line, so that a newer update can replace an unseen one.

    Laws, in a segment: ``revision`` rises; ``stable`` only grows and is never rewritten;
    ``is_final`` means ``unstable`` is empty. What a reader sees is ``stable + unstable``,
    concatenated as they are: ``unstable`` brings its own leading space where one belongs.

    Attributes:
        lane: which source is speaking (``mic``, ``system``, ``file``, ...).
        segment_id: rises by one for each line of the session; unique across lanes.
        revision: from 0.
        stable: words that will not change.
        unstable: the tail that still may.
        start, end: seconds on the stream clock, of the first and the last word shown.
        heard_at: ``time.monotonic()`` when the newest sound this update rests on was captured.
        is_final: the line is finished.
        words: the words of ``stable``, with times.
        language: BCP 47 code where known.
        correction: a second pass replaces a finished line, once; the laws then do not apply to it.
    """

    lane: str
    segment_id: int
    revision: int
    stable: str
    unstable: str
    start: float
    end: float
    heard_at: float
    is_final: bool = False
    words: tuple[Word, ...] = ()
    language: str = ""
    correction: bool = False

    @property
    def text(self) -> str:
        """What a reader sees."""
        return self.stable + self.unstable

    def replaces(self, waiting: CaptionUpdate | None) -> bool:
        """Whether this may take the place of an update of the same line that nobody has seen yet:
        always, but for one that is final, of which only a correction says something newer."""
        return waiting is None or not waiting.is_final or self.correction


GAP = "source.gap"
"""Code of the notice that marks a place of the stream where a source gave nothing to hear."""

State = Literal["starting", "running", "paused", "stopped", "failed"]
"""Of a session."""

Severity = Literal["info", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the program has to say. Never caption text.

    Attributes:
        code: stable, dotted, for tests and logs: ``source.lost``, ``engine.behind``.
        severity: ``info``, ``warning`` or ``error``.
        text: one sentence that names the thing.
        remedy: what the reader can do; may be empty.
        recoverable: the session goes on.
        lane: whose sound it is about; empty where it is about none in particular. What is said of
            a lane's source (``source.…``) replaces what was said of it before.
        span: from and to, seconds on the stream clock, of sound that was not heard
            (``source.gap``, ``engine.gap``); None elsewhere.
    """

    code: str
    severity: Severity
    text: str
    remedy: str = ""
    recoverable: bool = True
    lane: str = ""
    span: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Percentiles:
    """p50 and p95 of a latency in milliseconds; None until there is something to say."""

    p50: float | None = None
    p95: float | None = None


@dataclass(frozen=True, slots=True)
class EngineStats:
    """A snapshot of the engine, pulled at 1 Hz by whoever shows it.

    Attributes:
        state: what the session is doing.
        model_id: the recogniser in use.
        provider: the execution provider that really runs, as the runtime reports it.
        provider_asked: the one that was asked for.
        provider_reason: why another one runs, with the remedy, in one clause; empty where none
            does.
        warm_up_ms: what decoding a second of silence took when the model was loaded; 0 before.
        next_model_id: of the model that is being loaded to take over; empty where none is.
        audio_s: seconds of sound taken in, all lanes.
        compute_s: seconds spent in VAD and recogniser.
        rtf: real-time factor over the last ten seconds (compute / audio).
        lag_s: sound captured but not yet processed, seconds.
        lost_samples: samples the source or the ring lost.
        level_dbfs: loudness of the last 100 ms for each lane; -inf for digital silence.
        peak_dbfs: its highest sample.
        gain_db: by how much each lane is amplified before it is recognised.
        speaking: lanes in which the VAD hears speech now.
        clipping, too_quiet: lanes whose source is set too loud or too low.
        rested: share of the sound for which the recogniser had nothing to do, 0 to 1.
        denoiser_id: what takes noise out; empty for nothing.
        first_latency, stable_latency: ms from the end of a word (by the recogniser's own word
            times) to its first showing, and to its being there to stay.
        first_recent_ms, stable_recent_ms: p50 of these over the last few words alone; None before.
        revisions: shown characters taken back / characters finally shown (erasure).
        words: final words so far.
        segments: final lines so far.
    """

    state: State
    model_id: str = ""
    provider: str = ""
    provider_asked: str = ""
    provider_reason: str = ""
    warm_up_ms: float = 0.0
    next_model_id: str = ""
    audio_s: float = 0.0
    compute_s: float = 0.0
    rtf: float = 0.0
    lag_s: float = 0.0
    lost_samples: int = 0
    level_dbfs: dict[str, float] = field(default_factory=dict)
    peak_dbfs: dict[str, float] = field(default_factory=dict)
    gain_db: dict[str, float] = field(default_factory=dict)
    speaking: frozenset[str] = frozenset()
    clipping: frozenset[str] = frozenset()
    too_quiet: frozenset[str] = frozenset()
    rested: float = 0.0
    denoiser_id: str = ""
    first_latency: Percentiles = Percentiles()
    stable_latency: Percentiles = Percentiles()
    first_recent_ms: float | None = None
    stable_recent_ms: float | None = None
    revisions: float = 0.0
    words: int = 0
    segments: int = 0


@dataclass(frozen=True, slots=True)
class StreamHeader:
    """What a sink is told before the first caption."""

    version: str
    model_id: str
    provider: str
    profile: str
    sample_rate: int
    source: str


@dataclass(frozen=True, slots=True)
class StreamSummary:
    """What a sink is told after the last caption.

    Attributes:
        audio_s: seconds of sound.
        compute_s: seconds in VAD and recogniser.
        rtf: compute_s / audio_s.
        cores: process CPU seconds / audio seconds.
        lost_samples: samples lost on the way.
        peak_rss_mb: highest resident memory of the process, MiB.
        segments, words: final lines and words.
    """

    audio_s: float
    compute_s: float
    rtf: float
    cores: float
    lost_samples: int
    peak_rss_mb: float
    segments: int
    words: int
