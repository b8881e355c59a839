"""What happens to a session during a soak: at random, from a seed, and written down."""

from __future__ import annotations

import argparse
import heapq
import os
import random
import signal
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from desktop_app.settings.store import SettingsStore
from engine.config import DENOISERS, Denoise, EngineConfig, LatencyProfile
from engine.session import Session
from models.spec import ModelFiles
from soaking.clock import Children
from soaking.obs import StandInObs
from soaking.player import Player

KINDS = (
    "crash",
    "model",
    "device lost",
    "device stalled",
    "device unplugged",
    "driver overrun",
    "pause",
    "slider",
    "denoiser",
    "gain",
    "settings",
    "obs restart",
)
_DEVICE = ("device lost", "device stalled", "device unplugged", "driver overrun")
_RESTED_S = 90.0
"""Between two crashes: a recogniser that crashes twice in a minute is given up, as it should be."""
_AWAY_S = 0.2
"""Real seconds for which OBS is gone."""


class Director:
    """Makes things happen, one after another, and undoes them.

    Args:
        session: to which.
        config: what it was begun with, and returns to.
        player: its microphone.
        models: by id, those to swap between; the first is the one it was begun with.
        denoisers: those installed.
        obs: what its sink is connected to.
        children: the recognisers' processes; no crash where there are none.
        settings: a settings file.
        seed: decides what, when and how.
        pace: mean seconds between two events.
        kinds: of what may happen.

    Attributes:
        log: what happened, and when on the stream clock.
        counts: how often each kind happened.
    """

    def __init__(
        self,
        session: Session,
        config: EngineConfig,
        player: Player,
        *,
        models: Sequence[ModelFiles],
        denoisers: dict[Denoise, ModelFiles],
        obs: StandInObs,
        children: Children,
        settings: Path,
        seed: int,
        pace: float,
        kinds: Sequence[str],
    ) -> None:
        self.log: list[dict[str, Any]] = []
        self.counts: Counter[str] = Counter()
        self.kinds = [each for each in kinds if self._can(each, models, denoisers, config)]
        self._session, self._config, self._player = session, config, player
        self._models, self._denoisers = models, denoisers
        self._obs, self._children = obs, children
        self._settings = SettingsStore(settings)
        self._random = random.Random(seed)
        self._pace = pace
        self._deck: list[str] = []
        self._due: list[tuple[float, int, Callable[[float], None]]] = []
        self._number = 0
        self._until = 0.0
        self._model = 0
        self._gain = config.auto_gain
        self._denoise: Denoise = "off"
        self._device_busy = self._paused = self._crash_waits = False
        self._crashed_at = float("-inf")

    @staticmethod
    def _can(
        kind: str,
        models: Sequence[ModelFiles],
        denoisers: dict[Denoise, ModelFiles],
        config: EngineConfig,
    ) -> bool:
        needs = {"crash": config.isolated, "model": len(models) > 1, "denoiser": bool(denoisers)}
        return needs.get(kind, True)

    def begin(self, now: float, until: float) -> None:
        """Things happen from now on, and all is as it was from a while before ``until`` on."""
        self._until = until
        if self.kinds:
            self._at(now + self._wait(), self._next)
        self._at(until, self.restore)

    def look(self, now: float) -> None:
        """Do what is due.

        Args:
            now: seconds of the stream clock.
        """
        while self._due and self._due[0][0] <= now:
            heapq.heappop(self._due)[2](now)
        if self._crash_waits and self._session.stats().speaking:
            self._crash(now)

    def restore(self, now: float) -> None:
        """All as at the beginning: what was measured then can be measured again."""
        if self._crash_waits:  # nobody spoke: next time
            self._crash_waits = False
            self._deck.insert(0, "crash")
        self._due.clear()
        self._device_busy = False
        self._session.resume()
        self._paused = False
        self._apply(self._config.profile, "off", self._config.auto_gain)
        if self._model:
            self._swap(0)
        self._player.come_back()
        self._write(now, "restored")

    # -- when ---------------------------------------------------------------------------------

    def _wait(self) -> float:
        return self._random.uniform(0.5, 1.5) * self._pace

    def _at(self, moment: float, do: Callable[[float], None]) -> None:
        self._number += 1
        heapq.heappush(self._due, (moment, self._number, do))

    def _next(self, now: float) -> None:
        if now >= self._until:
            return
        self._at(now + self._wait(), self._next)
        if not self._deck:
            self._deck = self._random.sample(self.kinds, len(self.kinds))
        for place, kind in enumerate(self._deck):
            if self._possible(kind, now):
                del self._deck[place]
                getattr(self, f"_do_{kind.replace(' ', '_')}")(now)
                return

    def _possible(self, kind: str, now: float) -> bool:
        if kind in _DEVICE:
            return self._player.there and not self._device_busy
        if kind == "pause":
            return not self._paused
        if kind == "crash":
            return not self._crash_waits and now - self._crashed_at > _RESTED_S
        return True

    def _write(self, now: float, kind: str, **more: object) -> None:
        self.log.append({"at": round(now, 2), "what": kind, **more})
        self.counts[kind] += 1

    # -- what ---------------------------------------------------------------------------------

    def _do_crash(self, now: float) -> None:
        del now
        self._crash_waits = True  # for somebody to speak

    def _crash(self, now: float) -> None:
        self._crash_waits = False
        if self._children.made:
            os.kill(self._children.made[-1].pid, signal.SIGSEGV)
            self._crashed_at = now
            self._write(now, "crash")

    def _do_model(self, now: float) -> None:
        self._swap((self._model + 1) % len(self._models))
        self._write(now, "model", to=self._models[self._model].spec.id)
        if self._model:  # it costs several times as much: not for long
            self._at(now + self._random.uniform(5.0, 30.0), self._back_to_model)

    def _back_to_model(self, now: float) -> None:
        if self._model:
            self._swap(0)
            self._write(now, "model back", to=self._models[0].spec.id)

    def _swap(self, number: int) -> None:
        self._model = number
        self._session.swap_model(self._models[number])

    def _do_device_lost(self, now: float) -> None:
        seconds = self._random.uniform(1.0, 6.0)
        self._player.break_off()
        self._return_at(now + seconds)
        self._write(now, "device lost", seconds=round(seconds, 2))

    def _do_device_stalled(self, now: float) -> None:
        self._player.fall_silent()
        self._write(now, "device stalled")

    def _do_device_unplugged(self, now: float) -> None:
        seconds = self._random.uniform(1.0, 8.0)
        self._player.unplug()
        self._return_at(now + seconds)
        self._write(now, "device unplugged", seconds=round(seconds, 2))

    def _return_at(self, moment: float) -> None:
        self._device_busy = True

        def come_back(now: float) -> None:
            self._device_busy = False
            self._player.come_back()
            self._write(now, "device back")

        self._at(moment, come_back)

    def _do_driver_overrun(self, now: float) -> None:
        seconds = self._random.uniform(0.05, 0.8)
        self._player.overrun(seconds)
        self._write(now, "driver overrun", seconds=round(seconds, 2))

    def _do_pause(self, now: float) -> None:
        seconds = self._random.uniform(1.0, 8.0)
        self._session.pause()
        self._paused = True

        def resume(now: float) -> None:
            if self._paused:
                self._session.resume()
                self._paused = False
                self._write(now, "resumed")

        self._at(now + seconds, resume)
        self._write(now, "pause", seconds=round(seconds, 2))

    def _do_slider(self, now: float) -> None:
        profile = self._any_profile()
        self._session.set_profile(profile)
        self._write(now, "slider", to=profile.position)

    def _do_denoiser(self, now: float) -> None:
        self._set_denoiser(self._any_denoiser())
        self._write(now, "denoiser", to=self._denoise)

    def _do_gain(self, now: float) -> None:
        self._gain = not self._gain
        self._session.set_auto_gain(self._gain)
        self._write(now, "gain", to=self._gain)

    def _do_settings(self, now: float) -> None:
        """Saved to a file and read back, as the window does; what can change in a session does."""
        old = self._settings.load()
        chosen = old.model_copy(
            update={
                "profile": self._any_profile().position,
                "denoise": self._any_denoiser(),
                "auto_gain": self._random.random() < 0.5,
                "font_size": self._random.randint(20, 60),
            }
        )
        self._settings.save(chosen)
        new = self._settings.load()
        self._apply(LatencyProfile(new.profile), new.denoise, new.auto_gain)
        self._write(now, "settings", profile=new.profile, denoise=new.denoise, gain=new.auto_gain)

    def _do_obs_restart(self, now: float) -> None:
        self._obs.wait()
        self._obs.restart(_AWAY_S)
        self._write(now, "obs restart")

    def _any_profile(self) -> LatencyProfile:
        return LatencyProfile(float(self._random.choice((0, 25, 50, 75, 100, 37, 62))))

    def _any_denoiser(self) -> Denoise:
        return self._random.choice(["off", *self._denoisers])

    def _apply(self, profile: LatencyProfile, denoise: Denoise, gain: bool) -> None:
        self._gain = gain
        self._session.set_profile(profile)
        self._session.set_auto_gain(gain)
        if denoise != self._denoise:
            self._set_denoiser(denoise)

    def _set_denoiser(self, denoise: Denoise) -> None:
        self._denoise = denoise
        self._session.set_denoiser(self._denoisers.get(denoise))


def kinds_named(text: str) -> tuple[str, ...]:
    """Of the command line: with commas; ``none`` for none.

    Raises:
        ArgumentTypeError: there is no such kind.
    """
    named = tuple(filter(None, (each.strip() for each in text.split(","))))
    if unknown := set(named) - {*KINDS, "none"}:
        raise argparse.ArgumentTypeError(f"nothing is called {', '.join(sorted(unknown))}")
    return tuple(each for each in KINDS if each in named)


def installed_denoisers(files: Callable[[str], ModelFiles | None]) -> dict[Denoise, ModelFiles]:
    """Those that there are.

    Args:
        files: of a model by its id; None where it is not installed.
    """
    found = {denoise: files(name) for denoise, name in DENOISERS.items()}
    return {denoise: each for denoise, each in found.items() if each is not None}
