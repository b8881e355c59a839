"""How fast this machine decodes, and how much wider than asked for its steps have to be."""

from __future__ import annotations

_BUSY = 0.8
"""Share of the time that may go into decodes before steps are made wider."""
_TURN_WITHOUT_DECODE = 0.25
"""Share of a usual decode below which a turn that captioned nothing was none."""
_BACK_OFF = 1.3
_MOST_BACK_OFF = 2.0
"""Lines that end need decodes too: each time sound is thrown away, steps get so much wider still,
and narrower again by and by."""
_RECOVER = 0.95
_SLOW_STRIDE = 2.0
_SLOW_FOR_S = 5.0
"""How many times wider than asked for steps are, and for how long, before the user is told."""


class Pace:
    """Learns it from each turn of the loop."""

    def __init__(self) -> None:
        self._decode_s = 0.0  # running mean of a turn with a decode, seconds
        self._backed_off = 1.0  # how many times wider still since sound was thrown away
        self._slow_since: float | None = None
        self._told = False

    def learn(self, took: float, *, captioned: bool) -> None:
        """Take note of a turn. Those that only listened tell nothing of decodes, and on a slow
        machine they are no quick ones either.

        Args:
            took: seconds.
            captioned: something came of it.
        """
        if captioned or took > max(0.005, _TURN_WITHOUT_DECODE * self._decode_s):
            self._decode_s += 0.2 * (took - self._decode_s)
            self._backed_off = max(1.0, _RECOVER * self._backed_off)

    def stride(self, step: float, speaking: int) -> float:
        """How many times wider than ``step`` seconds steps have to be while in so many lanes
        somebody speaks; 1 on a machine that keeps up."""
        return max(1.0, self._decode_s * max(1, speaking) * self._backed_off / (step * _BUSY))

    def threw_away(self) -> None:
        """That was not enough."""
        self._backed_off = min(_MOST_BACK_OFF, _BACK_OFF * self._backed_off)

    def forget(self) -> None:
        """Another model decodes from here on."""
        self._decode_s, self._backed_off, self._told = 0.0, 1.0, False

    def has_to_be_told(self, stride: float, now: float) -> bool:
        """Steps have been far wider than asked for, for a while: true once.

        Args:
            stride: how many times wider they are; 1 where nobody waits for captions.
            now: ``time.monotonic()``.
        """
        if stride < _SLOW_STRIDE:
            self._slow_since = None
        elif self._slow_since is None:
            self._slow_since = now
        elif now - self._slow_since > _SLOW_FOR_S and not self._told:
            self._told = True
            return True
        return False
