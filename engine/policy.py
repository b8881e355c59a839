"""The latency/accuracy slider as numbers: what each position means to the stabilizer."""

from __future__ import annotations

from dataclasses import dataclass, fields

from engine.config import STOPS, LatencyProfile


@dataclass(frozen=True, slots=True)
class Policy:
    """When a word is shown, when it is locked, how often the model is asked.

    Attributes:
        step: seconds of sound between two decodes.
        show_after: theta: seconds a word must lie before the end of the window to be shown.
        show_agree: decodes in a row that must agree on a word before it is shown ...
        sure: ... unless the model gives it at least this probability at first sight.
        unsure: probability below which a word waits longer.
        unsure_wait: seconds such a word waits on top of ``show_after`` (and twice as long on top
            of ``lock_after``), in proportion to how far it is below.
        patience: seconds before the end of the window at which an unsure word is shown as it
            stands, and that long after ``lock_after`` locked: one word must not hold up the rest.
        lock_after: seconds a shown word must lie before the end of the window to be locked.
        lock_agree: decodes in a row that must agree on it.
        stickiness: natural log units by which another token must be more probable than a shown
            one before the shown one is taken back.
        endpoint: seconds of silence that end a line.
        window: seconds the window may grow to before it is cut.
        keep: seconds it is cut to.
        context: seconds kept across a pause.
        show_unlocked: show words before they are locked.
    """

    step: float
    show_after: float
    show_agree: int
    sure: float
    unsure: float
    unsure_wait: float
    patience: float
    lock_after: float
    lock_agree: int
    stickiness: float
    endpoint: float
    window: float
    keep: float
    context: float
    show_unlocked: bool

    @classmethod
    def at(cls, profile: LatencyProfile) -> Policy:
        """The policy of a slider position; between stops, the numbers in between."""
        stops = sorted((position, name) for name, position in STOPS.items())
        below = max((stop for stop in stops if stop[0] <= profile.position), key=lambda s: s[0])
        above = min((stop for stop in stops if stop[0] >= profile.position), key=lambda s: s[0])
        low, high = _AT[below[1]], _AT[above[1]]
        if below == above:
            return low
        share = (profile.position - below[0]) / (above[0] - below[0])
        mixed: dict[str, float | int | bool] = {}
        for field in fields(cls):
            a, b = getattr(low, field.name), getattr(high, field.name)
            if isinstance(a, bool):
                mixed[field.name] = a if share < 0.5 else b
            elif isinstance(a, int):
                mixed[field.name] = round(a + (b - a) * share)
            else:
                mixed[field.name] = a + (b - a) * share
        if not mixed["show_unlocked"]:
            # Words that are not shown before they are locked must not wait to be locked.
            mixed["lock_after"] = mixed["show_after"]
        return cls(**mixed)  # type: ignore[arg-type]


_AT: dict[str, Policy] = {
    "fastest": Policy(
        step=0.08, show_after=0.0, show_agree=1, sure=0.85, unsure=0.6, unsure_wait=0.25,
        patience=0.6, lock_after=1.2, lock_agree=2, stickiness=0.8, endpoint=0.5,
        window=9.0, keep=4.5, context=2.5, show_unlocked=True,
    ),
    "fast": Policy(
        step=0.11, show_after=0.04, show_agree=2, sure=0.93, unsure=0.7, unsure_wait=0.3,
        patience=0.7, lock_after=1.2, lock_agree=2, stickiness=1.5, endpoint=0.5,
        window=9.0, keep=4.5, context=2.5, show_unlocked=True,
    ),
    "balanced": Policy(
        step=0.13, show_after=0.08, show_agree=2, sure=0.97, unsure=0.75, unsure_wait=0.35,
        patience=0.7, lock_after=1.2, lock_agree=2, stickiness=1.5, endpoint=0.6,
        window=9.0, keep=4.5, context=2.5, show_unlocked=True,
    ),
    "steady": Policy(
        step=0.13, show_after=0.08, show_agree=3, sure=1.1, unsure=0.9, unsure_wait=0.4,
        patience=0.6, lock_after=0.08, lock_agree=3, stickiness=0.0, endpoint=0.6,
        window=10.0, keep=5.0, context=3.0, show_unlocked=False,
    ),
    "accurate": Policy(
        step=0.2, show_after=0.1, show_agree=2, sure=1.1, unsure=0.85, unsure_wait=0.6,
        patience=1.0, lock_after=2.0, lock_agree=3, stickiness=1.5, endpoint=0.8,
        window=12.0, keep=6.0, context=4.0, show_unlocked=True,
    ),
}  # fmt: skip
