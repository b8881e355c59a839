"""Where the sound of one source comes in, what is seen of it there, and the clock of them all."""

from __future__ import annotations

import time

from engine.errors import SourceError
from engine.ring import SampleRing
from engine.sources.base import Source
from engine.types import AudioChunk

_LIVE_RING_S = 20.0
_WAITING_RING_S = 2.0


class Inlet:
    """A source and the ring it writes into.

    Made by whoever opens the source, read by the inference thread, watched by the supervisor.

    Attributes:
        source, ring: the two.
        may_pause: it records what plays, and a system need not deliver while nothing does.
        started_at: ``time.monotonic()`` when the source was started; None before.
        quiet_since: ``time.monotonic()`` since when it has given nothing but exact zeros; None
            while it gives sound, and before the first sample was looked at.
        quiet_from: seconds on the stream clock at which that began, or began last.
        sounded: there was something else than zeros once.
        sounded_from: seconds on the stream clock at which that was so again, or first.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.ring = SampleRing(
            source.sample_rate,
            source.channels,
            _LIVE_RING_S if source.live else _WAITING_RING_S,
        )
        self.may_pause = getattr(getattr(source, "sound_device", None), "kind", "") == "output"
        self.started_at: float | None = None
        self.quiet_since: float | None = None
        self.quiet_from = 0.0
        self.sounded = False
        self.sounded_from = 0.0

    def start(self) -> None:
        """Start the source; a second call changes nothing.

        Raises:
            SourceError: the sound cannot be had; the ring is closed with it.
        """
        if self.started_at is not None:
            return
        self.started_at = time.monotonic()
        try:
            self.source.start(self.ring)
        except SourceError as error:
            self.ring.close(error)
            raise

    def stop(self) -> None:
        """Stop the source and close the ring; may be called twice."""
        self.source.stop()
        self.ring.close()

    def look_at(self, chunk: AudioChunk, stream_s: float) -> None:
        """Notice whether there is sound at all. The inference thread's.

        Args:
            chunk: what was read from the ring.
            stream_s: the stream clock at its first sample, seconds.
        """
        if chunk.samples.any():
            if self.quiet_since is not None or not self.sounded:
                self.sounded_from = stream_s
            self.sounded = True
            self.quiet_since = None
        elif self.quiet_since is None:
            self.quiet_from = stream_s
            self.quiet_since = chunk.captured_at - chunk.samples.size / chunk.sample_rate


class StreamClock:
    """Where the zero of a session's stream clock lies on the clock of this machine.

    One for all lanes, so that their captions can be merged in time order, and so that a source
    opened anew goes on at the time that has really passed. Belongs to the inference thread.
    """

    def __init__(self) -> None:
        self._zero_at: float | None = None

    def place(self, began_at: float, at_least: float = 0.0) -> float:
        """Where on the stream clock something was captured.

        Args:
            began_at: when, by ``time.monotonic()``.
            at_least: where it lies if nothing was placed before; it is never put earlier.

        Returns:
            Seconds.
        """
        if self._zero_at is None:
            self._zero_at = began_at - at_least
        return max(at_least, began_at - self._zero_at)

    @property
    def runs(self) -> bool:
        """Something was placed on it."""
        return self._zero_at is not None

    def settle(self, zero_at: float) -> None:
        """Its zero is known better than when the first sound came, on a machine that was busy."""
        self._zero_at = zero_at

    def slept(self, seconds: float) -> None:
        """The machine slept, and its monotonic clock with it: the stream clock goes on by it."""
        if self._zero_at is not None:
            self._zero_at -= seconds
