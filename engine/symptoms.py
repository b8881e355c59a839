"""What a source does, seen from outside: whether frames come, how fast, and whether they are sound.

No thread and no sound system: it is given the time and looks at the inlet.
"""

from __future__ import annotations

from engine.errors import DeviceBusyError
from engine.faults import Cause
from engine.inlet import Inlet

FIRST_FRAMES_S = 3.0
"""How long a device that was opened may take until its first block."""
_SERVER_PAUSE_S = 2.5
"""PulseAudio pauses a stream for up to 2 s when it starts or moves one: that is no loss."""
_PAUSE_S = 1.0
_NEVER_SOUNDED_S = 3.0
_WENT_QUIET_S = 10.0
"""How long exact zeros are believed. A microphone that has given sound may gate its noise."""
_MOST_PATIENCE_S = 120.0
_RATE_WINDOW_S = 2.0
_RATE_OFF = 0.05
"""44.1 and 48 kHz are 8 % apart; no clock of a device is off by a thousandth of that."""
_STEADY_S = 0.3
_WINDOWS = 2


class Symptoms:
    """Of one inlet, from when it is handed over.

    Args:
        inlet: the source and its ring.
        now: ``time.monotonic()``.
        server_pauses: it is reached through a sound server that may pause it.
        may_be_silent: zeros are what it gives while nothing is played.
        patience: multiplies how long zeros are believed.
    """

    def __init__(
        self,
        inlet: Inlet,
        now: float,
        *,
        server_pauses: bool,
        may_be_silent: bool,
        patience: float = 1.0,
    ) -> None:
        self._inlet = inlet
        self._pause_s = _SERVER_PAUSE_S if server_pauses else _PAUSE_S
        self._may_be_silent = may_be_silent
        self._patience = patience
        self._written = 0
        self._moved_at = now
        self._window = (now, 0)
        self._steady = False
        self._rates: list[float] = []

    def find(self, now: float) -> Cause | None:
        """What is wrong now, but for silence; None where nothing is, and before it was started."""
        inlet = self._inlet
        if inlet.started_at is None:
            self._moved_at = now
            return None
        if inlet.ring.closed:
            if inlet.ring.error is None:
                # Whoever stopped it knows.
                return None
            return "busy" if isinstance(inlet.ring.error, DeviceBusyError) else "stalled"
        written = inlet.ring.written
        if written != self._written:
            if now - self._moved_at > _STEADY_S:
                self._begin_window(now, written)
            self._written, self._moved_at = written, now
            return "rate" if self._rate_is_off(now) else None
        limit = self._pause_s if written else max(FIRST_FRAMES_S, self._pause_s)
        return "stalled" if now - self._moved_at > limit else None

    def is_silent(self, now: float) -> bool:
        """Nothing but exact zeros where there should be the noise of a room, for too long."""
        quiet_since = self._inlet.quiet_since
        if self._may_be_silent or quiet_since is None:
            return False
        limit = _WENT_QUIET_S if self._inlet.sounded else _NEVER_SOUNDED_S
        return now - quiet_since > min(_MOST_PATIENCE_S, limit * self._patience)

    def _begin_window(self, now: float, written: int) -> None:
        self._window = (now, written)
        self._steady = True
        self._rates = []

    def _rate_is_off(self, now: float) -> bool:
        """Frames came at the same wrong rate for several stretches of even flow in a row."""
        if not self._steady:
            self._begin_window(now, self._written)
        began, written = self._window
        if now - began < _RATE_WINDOW_S:
            return False
        ratio = (self._written - written) / (now - began) / self._inlet.source.sample_rate
        self._window = (now, self._written)
        self._rates = [*self._rates, ratio][-_WINDOWS:]
        odd = [each - 1.0 for each in self._rates if abs(each - 1.0) > _RATE_OFF]
        return len(odd) == _WINDOWS and max(odd) - min(odd) < _RATE_OFF / 2
