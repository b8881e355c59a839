"""The clock of a soak: a whole session in virtual time, or the clock on the wall.

In virtual time the engine runs as it always does, on its own thread, but the clock it reads is this
one. It goes on where the engine sleeps, to the next sound, and by the processor time that work
really took, on all threads and in the recogniser's process. Loading beside running captions is
waited for and not charged. The supervisor has no thread then: it looks ten times a second of that
clock. Files, history and OBS stay in real time.
"""

from __future__ import annotations

import contextlib
import importlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import psutil

import engine.session
from engine.isolation import proxy
from engine.session import Session
from engine.supervisor import Supervisor

_MODULES = ("bus", "feed", "inlet", "recovery", "ring", "swap", "worker")
"""Of the engine: those that measure sound or wait for it."""
_BESIDE = ("captionglass-load", "captionglass-release", "captionglass-denoiser")
"""Threads that work beside the captions for a while."""
_BEGIN = 1000.0

Advance = Callable[[float], None]


@contextlib.contextmanager
def replaced(owner: object, name: str, value: object) -> Iterator[None]:
    """Another attribute for a while."""
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


class Children:
    """The processes that recognisers run in.

    Attributes:
        made: those not yet found dead, the newest last.
    """

    def __init__(self) -> None:
        self.made: list[Any] = []
        self._spent: dict[int, float] = {}

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """Get to know those that are begun meanwhile."""
        made = self.made

        class Child(proxy.Child):
            def __init__(self, name: str) -> None:
                super().__init__(name)
                made.append(self)

        with replaced(proxy, "Child", Child):
            yield

    def spent(self) -> float:
        """Processor seconds since the last call, of all of them."""
        seconds = 0.0
        for child in list(self.made):
            try:
                now = _spent(child.pid)
            except (OSError, psutil.NoSuchProcess):
                self.made.remove(child)
                self._spent.pop(child.pid, None)
                continue
            seconds += now - self._spent.get(child.pid, 0.0)
            self._spent[child.pid] = now
        return seconds


def _spent(pid: int) -> float:
    platform = sys.platform
    if platform == "linux":
        # The clock of a process, as clock_getcpuclockid(3) names it: psutil's counts in 10 ms.
        return time.clock_gettime((~pid << 3) | 2)
    spent = psutil.Process(pid).cpu_times()
    return spent.user + spent.system


class VirtualTime:
    """Takes the place of the module ``time`` in the engine.

    Args:
        children: theirs is charged too.
        charge: seconds of the clock that a processor second costs; 0: an infinitely fast machine.

    Attributes:
        now: seconds; begins at the same figure every time.
        advance: told to play what is due up to a moment.
        finished: set at the end of the sound.
        compute_s: processor seconds spent on captions so far.
        supervisor: of the session.
    """

    def __init__(self, children: Children, charge: float) -> None:
        self.now = _BEGIN
        self.advance: Advance = lambda _: None
        self.finished = threading.Event()
        self.compute_s = 0.0
        self.supervisor: Supervisor | None = None
        self._children = children
        self._charge = charge
        self._cpu = 0.0
        self._owner = 0
        self._shown: float | None = None

    def __getattr__(self, name: str) -> object:
        return getattr(time, name)

    def monotonic(self) -> float:
        """Seconds. The inference thread pays for what it has done since it last asked."""
        if self._shown is not None:
            return self._shown
        if threading.get_ident() == self._owner and not self.finished.is_set():
            worked = self._worked()
            self.compute_s += worked
            self.now += self._charge * worked
        return self.now

    def sleep(self, seconds: float) -> None:
        """The engine waits: let the sound come that is due, or else time pass."""
        if self.finished.is_set():
            time.sleep(0.002)
            return
        if not self._owner:
            self._owner = threading.get_ident()
            self.forget()
        before = self.monotonic()
        self.advance(before)
        if self.now == before:
            self.now += seconds
            self.advance(self.now)
        self.settle()

    def settle(self) -> None:
        """Wait for what works beside the captions, at nobody's cost."""
        for thread in threading.enumerate():
            if thread.name in _BESIDE:
                thread.join()
        self.forget()

    def forget(self) -> None:
        """What was done since the last look at the processor costs nothing."""
        self._worked()

    @contextlib.contextmanager
    def showing(self, moment: float) -> Iterator[None]:
        """It is exactly that time for who asks meanwhile."""
        before, self._shown = self._shown, moment
        try:
            yield
        finally:
            self._shown = before

    def _worked(self) -> float:
        cpu = time.process_time()
        worked, self._cpu = cpu - self._cpu + self._children.spent(), cpu
        return worked

    @contextlib.contextmanager
    def arranged(self) -> Iterator[None]:
        """Sessions made meanwhile have a supervisor without a thread."""
        clock = self

        class Stepped(Supervisor):
            def __init__(self, *arguments: Any) -> None:
                super().__init__(
                    *arguments, now=clock.monotonic, slept=lambda: 0.0, recorded=lambda: None
                )
                clock.supervisor = self
                self._end: Callable[[], None] | None = None

            def start(self) -> None:
                if self._end is None:
                    self._inventory = self._open_inventory()
                    self._end = self._inventory.watch(self._changed.set)

            def stop(self) -> None:
                super().stop()
                if self._end is not None:
                    self._end()

        with replaced(engine.session, "Supervisor", Stepped):
            yield

    @contextlib.contextmanager
    def installed(self, session: Session) -> Iterator[None]:
        """In the engine, until the session is over."""
        with contextlib.ExitStack() as stack:
            for name in _MODULES:
                module = importlib.import_module(f"engine.{name}")
                stack.enter_context(replaced(module, "time", self))
            try:
                yield
            finally:
                self.finished.set()
                session.stop()


class RealTime:
    """The clock on the wall; the sound has a thread of its own, as a device has."""

    supervisor = None

    def __init__(self, children: Children) -> None:
        self.advance: Advance = lambda _: None
        self.finished = threading.Event()
        self._children = children
        self._children_s = 0.0
        self._thread: threading.Thread | None = None

    @property
    def now(self) -> float:
        """Seconds."""
        return time.monotonic()

    @property
    def compute_s(self) -> float:
        """Processor seconds spent so far."""
        self._children_s += self._children.spent()
        return time.process_time() + self._children_s

    def settle(self) -> None:
        """Nothing is waited for: captions would be late."""

    def forget(self) -> None:
        """Everything is charged."""

    @contextlib.contextmanager
    def showing(self, moment: float) -> Iterator[None]:
        """It is whatever time it is."""
        del moment
        yield

    @contextlib.contextmanager
    def arranged(self) -> Iterator[None]:
        """The supervisor has its own thread, as always."""
        yield

    @contextlib.contextmanager
    def installed(self, session: Session) -> Iterator[None]:
        """The thread that plays."""
        self._thread = threading.Thread(target=self._run, name="soak-sound", daemon=True)
        self._thread.start()
        try:
            yield
        finally:
            self.finished.set()
            self._thread.join()
            session.stop()

    def _run(self) -> None:
        while not self.finished.wait(0.02):
            self.advance(time.monotonic())


Clock = VirtualTime | RealTime
