"""Watches the devices a session listens to, says what is wrong with one, and opens it again.

It runs on a thread of its own: opening and closing a device may take a while, and neither the
captions of another lane nor the callback may wait for it. The inference thread is handed a source
that already delivers; what lies between the last sample of the old one and the first of the new
one it marks as a gap.
"""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from engine.errors import CaptionglassError, DeviceBusyError, DeviceError
from engine.faults import Cause, heard_again, told
from engine.inlet import Inlet
from engine.sources._pulse_streams import recorded
from engine.sources.inventory import Inventory, SoundDevice
from engine.sources.platforms import open_inventory
from engine.symptoms import FIRST_FRAMES_S
from engine.types import Notice
from engine.wakefulness import slept_s
from engine.watched import SourceOpener, WatchedLane

log = logging.getLogger(__name__)

_TICK_S = 0.1
_SLEPT_S = 1.0
_LIST_EVERY_S = 2.0
"""How often devices are asked for while one is awaited, beside each time they change."""
_CHECK_EVERY_S = 3.0
_ASK_AGAIN_S = 10.0
"""How often a device that never gave anything but zeros is opened anew."""
_TELL_REFUSED = 3
"""Attempts in a row that fail before anybody is told: a device that comes back takes a moment."""
_JOIN_S = 10.0
_SEAMLESS: frozenset[Cause] = frozenset(("default", "returned", "silent"))
"""Causes for which the old source goes on until the new one delivers."""


class Engine(Protocol):
    """What the supervisor asks of whoever listens. Called on its own thread; returns at once."""

    def succeed(self, index: int, inlet: Inlet) -> None:
        """Go on with another source once all is taken of the one before."""

    def slept(self, seconds: float) -> None:
        """The machine slept."""

    def tell(self, notice: Notice) -> None:
        """Publish it."""


class Supervisor:
    """Keeps the devices of a session delivering.

    Args:
        lanes: by their index in the session, what delivers and how it is opened anew.
        engine: who listens.
        inventory: gives the devices there are; asked on the supervisor's thread.
        now, slept, recorded: the clocks and the sound server; tests have their own.
    """

    def __init__(
        self,
        lanes: Mapping[int, tuple[Inlet, SourceOpener]],
        engine: Engine,
        inventory: Callable[[], Inventory] = open_inventory,
        *,
        now: Callable[[], float] = time.monotonic,
        slept: Callable[[], float] = slept_s,
        recorded: Callable[[], Sequence[str] | None] = recorded,
    ) -> None:
        self._engine = engine
        self._open_inventory = inventory
        self._now = now
        self._slept = slept
        self._recorded = recorded
        self._lanes = {
            index: WatchedLane(index, inlet, opener, now())
            for index, (inlet, opener) in lanes.items()
        }
        self._lock = threading.RLock()  # over ``_lanes``
        self._opened: list[Inlet] = []
        self._inventory: Inventory | None = None
        self._devices: list[SoundDevice] | None = None
        self._listed_at = float("-inf")
        self._checked_at = now()
        self._asleep = slept()
        self._changed = threading.Event()
        self._stop = threading.Event()
        self._wanted = False
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin to watch, once there is something to watch."""
        with self._lock:
            self._wanted = True
            if self._thread is not None or not self._lanes or self._stop.is_set():
                return
            self._thread = threading.Thread(
                target=self._run, name="captionglass-supervisor", daemon=True
            )
            self._thread.start()

    def rest(self) -> None:
        """Open nothing any more; returns at once."""
        self._stop.set()
        self._changed.set()

    def stop(self) -> None:
        """End the thread and stop whatever it opened. May be called twice."""
        self.rest()
        if self._thread is not None:
            self._thread.join(_JOIN_S)
        for inlet in self._opened:
            inlet.stop()

    def exchange(self, index: int, inlet: Inlet, opener: SourceOpener | None) -> None:
        """The user chose another source for a lane: watch that one, or none."""
        with self._lock:
            lane = self._lanes.pop(index, None)
            if lane is not None and lane.fresh is not None:
                lane.fresh[0].stop()
            if opener is not None:
                self._lanes[index] = WatchedLane(index, inlet, opener, self._now())
            if self._wanted:
                self.start()

    def look(self) -> None:
        """Look at every lane once, and do what is due."""
        now = self._now()
        self._list(now)
        self._ask_for_sleep()
        moved = self._find_moved(now)
        with self._lock:
            for lane in self._lanes.values():
                self._look_at(lane, now, moved)

    # -- the thread ---------------------------------------------------------------------------

    def _run(self) -> None:
        end: Callable[[], None] | None = None
        try:
            self._inventory = self._open_inventory()
            end = self._inventory.watch(self._changed.set)
        except DeviceError as error:
            log.warning("devices are not watched: %s", error)
        try:
            while not self._stop.is_set():
                self._changed.wait(_TICK_S)
                if not self._stop.is_set():
                    self._look_safely()
        finally:
            if end is not None:
                end()

    def _look_safely(self) -> None:
        try:
            self.look()
        except Exception:
            # A supervisor that died in silence would leave the next loss unnoticed.
            log.exception("watching the devices failed")
            self._stop.wait(1.0)

    # -- what is wrong ------------------------------------------------------------------------

    def _list(self, now: float) -> None:
        if self._inventory is None:
            with contextlib.suppress(DeviceError):
                self._inventory = self._open_inventory()
        changed = self._changed.is_set()
        awaited = any(lane.cause is not None for lane in self._lanes.values())
        due = now - self._listed_at > _LIST_EVERY_S and (awaited or self._devices is None)
        if self._inventory is None or not (changed or due):
            return
        self._changed.clear()
        self._listed_at = now
        self._devices = self._inventory.devices()
        if changed:
            self._checked_at = float("-inf")
            for lane in self._lanes.values():
                lane.try_soon(now)

    def _ask_for_sleep(self) -> None:
        asleep = self._slept()
        seconds, self._asleep = asleep - self._asleep, asleep
        if seconds < _SLEPT_S:
            return
        self._engine.slept(seconds)
        with self._lock:
            for lane in self._lanes.values():
                if lane.cause is None and lane.inlet.started_at is not None:
                    self._take_ill(lane, "slept")

    def _find_moved(self, now: float) -> Mapping[str, str]:
        """Ids of devices that the sound server does not record although it was asked to, and what
        it records instead."""
        steady = all(lane.cause is None for lane in self._lanes.values())
        if now - self._checked_at < _CHECK_EVERY_S or not steady:
            return {}
        self._checked_at = now
        wanted = Counter(
            lane.device.id
            for lane in self._lanes.values()
            if lane.device is not None
            and lane.device.id.startswith("pulse:")
            and lane.inlet.ring.written
        )
        if not wanted:
            return {}
        real = self._recorded()
        if real is None or len(real) < wanted.total():
            return {}
        others = sorted((Counter(real) - wanted).elements())
        missing = sorted((wanted - Counter(real)).elements())
        return dict(zip(missing, others, strict=False))

    def _diagnose(self, lane: WatchedLane, now: float, moved: Mapping[str, str]) -> Cause | None:
        if lane.inlet.started_at is None:
            return None
        found = lane.symptoms.find(now)
        device, known = lane.device, self._devices
        if known is not None and device is not None:
            same = next((each for each in known if each.id == device.id), None)
            if same is None:
                return "gone"
            if found == "stalled" and same.sample_rate != device.sample_rate:
                return "rate"
            target = self._target(lane)
            if found is None and target is not None and target.id != device.id:
                return "returned" if lane.opener.pinned else "default"
            if found is None and device.id in moved and now - lane.moved_at > _ASK_AGAIN_S:
                lane.moved_at = now
                return "moved"
        return found

    def _target(self, lane: WatchedLane) -> SoundDevice | None:
        """What the lane shall listen to now."""
        opener, known = lane.opener, self._devices
        if known is None or self._inventory is None:
            return lane.device
        if opener.pinned and opener.device is not None:
            pinned = next((each for each in known if each.id == opener.device.id), None)
            if pinned is not None:
                return pinned
        return self._inventory.default(opener.kind)

    # -- what is done -------------------------------------------------------------------------

    def _look_at(self, lane: WatchedLane, now: float, moved: Mapping[str, str]) -> None:
        if lane.fresh is not None:
            self._await_frames(lane, *lane.fresh, now)
            return
        if lane.cause is None:
            cause = self._diagnose(lane, now, moved)
            if cause is None:
                self._listen_for_silence(lane, now)
                return
            self._take_ill(lane, cause, moved)
            lane.try_at = now
        if now >= lane.try_at:
            self._open(lane, now)

    def _take_ill(
        self, lane: WatchedLane, cause: Cause, moved: Mapping[str, str] | None = None
    ) -> None:
        lane.cause = cause
        if cause in _SEAMLESS:
            return
        other = ""
        if cause == "gone":
            target = self._target(lane)
            other = target.name if target is not None else ""
        elif cause == "moved" and moved and lane.device:
            real = moved[lane.device.id]
            other = next((each.name for each in self._devices or () if each.id == real), "")
        self._tell(lane, told(cause, lane.opener.lane, lane.name, other))
        lane.inlet.stop()
        if self._inventory is not None:
            # PortAudio finds out what there is only while nothing is open.
            self._devices = self._inventory.devices()

    def _open(self, lane: WatchedLane, now: float) -> None:
        target = self._target(lane)
        if target is None:
            if lane.cause in _SEAMLESS:
                lane.cause = None
                return
            self._tell(lane, told("gone", lane.opener.lane, lane.name))
            lane.back_off(now)
            return
        # A ring is some megabytes: those of attempts that came to nothing are let go.
        self._opened = [each for each in self._opened if not each.ring.closed]
        try:
            fresh = Inlet(lane.opener.open(target, lane.opener.lane))
            self._opened.append(fresh)
            fresh.start()
        except CaptionglassError as error:
            self._refuse(lane, target, error, now)
            return
        lane.fresh = (fresh, target, now)

    def _refuse(
        self, lane: WatchedLane, target: SoundDevice, error: CaptionglassError, now: float
    ) -> None:
        lane.refusals += 1
        self._listed_at = float("-inf")
        cause: Cause = "busy" if isinstance(error, DeviceBusyError) else "refused"
        if cause == "busy" or lane.refusals == _TELL_REFUSED:
            self._tell(lane, told(cause, lane.opener.lane, target.name, why=error.message))
        if lane.cause in _SEAMLESS and lane.refusals >= _TELL_REFUSED:
            # The old one still delivers: better that than none.
            lane.refusals, lane.cause = 0, None
        lane.back_off(now)

    def _await_frames(
        self, lane: WatchedLane, fresh: Inlet, device: SoundDevice, since: float, now: float
    ) -> None:
        if fresh.ring.written:
            self._hand_over(lane, fresh, device, now)
            return
        gone = self._devices is not None and all(each.id != device.id for each in self._devices)
        if gone or fresh.ring.closed or now - since > FIRST_FRAMES_S:
            fresh.stop()
            lane.fresh = None
            lane.back_off(now)

    def _hand_over(self, lane: WatchedLane, fresh: Inlet, device: SoundDevice, now: float) -> None:
        cause, before = lane.cause, lane.name
        lane.inlet.stop()
        self._engine.succeed(lane.index, fresh)
        lane.device = device
        lane.take(fresh, now)
        if cause == "default":
            self._tell(lane, told("default", lane.opener.lane, before, device.name))
        elif cause == "returned":
            self._tell(lane, told("returned", lane.opener.lane, device.name))

    def _listen_for_silence(self, lane: WatchedLane, now: float) -> None:
        inlet = lane.inlet
        if lane.silent_from is None:
            if lane.symptoms.is_silent(now):
                lane.silent_from = inlet.quiet_from
                lane.try_at = now + _ASK_AGAIN_S
                self._tell(lane, told("silent", lane.opener.lane, lane.name))
            return
        if inlet.sounded and inlet.quiet_since is None:
            span = (lane.silent_from, max(lane.silent_from, inlet.sounded_from))
            lane.silent_from = None
            # Somebody muted it, or it gates its noise: next time it is believed for longer.
            lane.patience *= 2.0
            lane.take(inlet, now)
            self._engine.tell(heard_again(lane.opener.lane, lane.name, span, "silent"))
        elif not inlet.sounded and now >= lane.try_at:
            # Permission that was given meanwhile holds for a stream opened then.
            lane.try_at = now + _ASK_AGAIN_S
            self._take_ill(lane, "silent")
            self._open(lane, now)

    def _tell(self, lane: WatchedLane, notice: Notice) -> None:
        if notice != lane.last_told:
            lane.last_told = notice
            self._engine.tell(notice)
