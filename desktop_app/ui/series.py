"""The figures of the last minutes and the scales they are drawn to: no widgets, so that every case
can be tested."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

SPAN_S = 300.0
"""How far back the plots reach, seconds."""

_CAPACITY = 330
_GAP_S = 3.5
"""Where nothing was read for longer, the line is broken."""
_ROOM = 1.25
"""A scale is let go for a smaller one only where this much room stays above the figures."""

Figures = NDArray[np.float64]


class History:
    """The last five minutes of some figures, read about once a second.

    Args:
        names: of the figures.
    """

    def __init__(self, names: tuple[str, ...]) -> None:
        self._at: Figures = np.full(_CAPACITY, -math.inf)
        self._rows = {name: np.full(_CAPACITY, math.nan) for name in names}

    def add(self, at: float, figures: Mapping[str, float | None]) -> None:
        """Take a reading.

        Args:
            at: ``time.monotonic()``.
            figures: by name; what is missing, None or not finite leaves a gap.
        """
        if math.isfinite(self._at[-1]) and at - self._at[-1] > _GAP_S:
            self._push(self._at[-1] + 0.01, {})
        self._push(at, figures)

    def times(self) -> Figures:
        """Seconds before the newest reading, shape (n,), rising to 0; n is that of ``row``."""
        return np.asarray(self._at[self._first() :] - self._at[-1])

    def clock(self) -> Figures:
        """The times themselves, by ``time.monotonic()``, shape (n,)."""
        return self._at[self._first() :]

    def row(self, name: str) -> Figures:
        """One figure at these times, shape (n,); NaN where it was not known."""
        return self._rows[name][self._first() :]

    def last(self, name: str) -> float | None:
        """The newest one; None where it is not known."""
        value = float(self._rows[name][-1])
        return value if math.isfinite(value) else None

    def highest(self, name: str) -> float | None:
        """The highest one there is; None where there is none."""
        row = self.row(name)
        known = row[np.isfinite(row)]
        return float(known.max()) if known.size else None

    def reach_s(self) -> float:
        """How long ago the oldest reading was taken, seconds."""
        times = self.times()
        return float(-times[0]) if times.size else 0.0

    def _first(self) -> int:
        """Of the readings that are young enough."""
        if not math.isfinite(self._at[-1]):
            return _CAPACITY
        return int(np.searchsorted(self._at, self._at[-1] - SPAN_S - 1.0))

    def _push(self, at: float, figures: Mapping[str, float | None]) -> None:
        self._at[:-1] = self._at[1:]
        self._at[-1] = at
        for name, row in self._rows.items():
            value = figures.get(name)
            row[:-1] = row[1:]
            row[-1] = value if value is not None and math.isfinite(value) else math.nan


def step_above(value: float) -> float:
    """The smallest of 1, 2, 5, 10, 20, 50, ... (and of 0.5, 0.2, ...) that is not below."""
    if value <= 0:
        return 0.0
    power = 10.0 ** math.floor(math.log10(value))
    # The tolerance is for what the logarithm rounds.
    return next(s * power for s in (1.0, 2.0, 5.0, 10.0) if s * power >= value * (1 - 1e-9))


class Scale:
    """The upper end of an axis, in steps that do not follow every figure.

    Args:
        least: it is never below, itself one of the steps.
    """

    def __init__(self, least: float) -> None:
        self._least = least
        self.top = least

    def follow(self, highest: float | None) -> bool:
        """Make room for the highest figure there is.

        Returns:
            The scale has changed.
        """
        before = self.top
        needed = max(step_above(highest or 0.0), self._least)
        if needed > self.top or max(step_above((highest or 0.0) * _ROOM), self._least) < self.top:
            self.top = needed
        return self.top != before
