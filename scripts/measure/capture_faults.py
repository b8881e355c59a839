"""Breaks off what a session listens to in every way a null sink allows, and sees it come back."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from capture_stage import Player, Recorder, Server

from engine.sinks.memory import MemorySink
from engine.types import CaptionUpdate, Notice

RECOVERED_S = 2.0
_BESIDE_S = 0.4
"""How much later than the server's own recorder is still no fault of ours."""
_SETTLED_S = 2.5
"""The server may still have a pause to make."""

Words = list[tuple[str, float]]
Say = Callable[[Player], tuple[float, float] | None]
Row = dict[str, Any]


class Log(MemorySink):
    """Keeps finished lines and notices, with when they came."""

    def __init__(self) -> None:
        super().__init__("log")
        self.lines: list[tuple[float, CaptionUpdate]] = []
        self.told: list[tuple[float, Notice]] = []

    def update(self, update: CaptionUpdate, published_at: float) -> None:
        """Only finished lines: it may be hours."""
        del published_at
        if update.is_final:
            self.lines.append((time.monotonic(), update))

    def notice(self, notice: Notice) -> None:
        """Keep it."""
        self.told.append((time.monotonic(), notice))

    def words(self, since: float) -> Words:
        """Words of the lines finished from then on, with their ends on the stream clock."""
        return [
            (word.text.strip(".,;").casefold(), word.end)
            for at, update in self.lines
            if at >= since
            for word in update.words
        ]


def until(done: Callable[[], bool], seconds: float = 30.0) -> float:
    """Seconds until that was so."""
    began = time.monotonic()
    while not done():
        if time.monotonic() - began > seconds:
            raise SystemExit("it never happened: see the notices above")
        time.sleep(0.005)
    return time.monotonic() - began


class _Faults:
    def __init__(self, log: Log, say: Say) -> None:
        self.rows: list[Row] = []
        self._log = log
        self._say = say

    def add(
        self, name: str, began: float, possible: float, player: Player, own: Recorder | None = None
    ) -> None:
        """Wait until sound is back, and say the sentence."""

        def back() -> list[float]:
            codes = ("source.gap", "source.default", "source.returned")
            return [at for at, each in self._log.told if at >= began and each.code in codes]

        until(lambda: bool(back()))
        told = min(at for at, _ in self._log.told if at >= began)
        time.sleep(_SETTLED_S)
        heard = max(back())
        server = own.close() if own is not None else None
        off = self._say(player)
        self._row(name, told - began, heard - possible, server, off)

    def add_silence(self, player: Player) -> None:
        """The monitor was silent for a while: only the words tell."""
        self._row("monitor silent for 1.5 s", None, 0.0, None, self._say(player))

    def _row(
        self,
        name: str,
        told: float | None,
        back: float,
        server: float | None,
        off: tuple[float, float] | None,
    ) -> None:
        words = None if off is None else 1000 * off[0]
        row = {"fault": name, "told_s": told, "back_s": back, "own_recorder_s": server}
        self.rows.append(row | {"words_off_ms": words})
        print(json.dumps(self.rows[-1]), flush=True)


def is_soon(row: Row) -> bool:
    """Sound was back in time, or not much later than the server's own recorder heard any."""
    server = row["own_recorder_s"]
    allowed = RECOVERED_S if server is None else max(RECOVERED_S, server + _BESIDE_S)
    return bool(row["back_s"] <= allowed)


def break_off(server: Server, log: Log, say: Say, players: list[Player]) -> list[Row]:
    """Every fault: the sinks ``one``, the default, and ``two`` are there, a player on each."""
    faults = _Faults(log, say)
    began = time.monotonic()
    server.pactl("set-default-sink", "two")
    faults.add("default switched", began, began, players[1])
    began = time.monotonic()
    server.unplug("two")
    players.pop().close()
    faults.add("device gone, another is there", began, began, players[0])
    began = time.monotonic()
    server.unplug("one")
    players.pop().close()
    time.sleep(3.0)
    server.plug("one")
    possible = time.monotonic()
    players.append(Player("one"))
    faults.add("only device gone and back", began, possible, players[0], Recorder("one"))
    began = time.monotonic()
    server.kill()
    players.pop().close()
    time.sleep(1.0)
    server.start("one", "two")
    possible = time.monotonic()
    players.append(Player("one"))
    faults.add("server killed and restarted", began, possible, players[0], Recorder("one"))
    server.pactl("suspend-sink", "one", "1")
    time.sleep(1.5)
    server.pactl("suspend-sink", "one", "0")
    time.sleep(2.0)
    faults.add_silence(players[0])
    return faults.rows
