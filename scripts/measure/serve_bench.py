"""What serving costs: fifty readers of captions, five of them stalled, in another process.

python scripts/measure/serve_bench.py [--readers N] [--stalled N] [--seconds S] [--rate R]

Prints how much later than the in-process bus captions reach the readers that read, and how much of
a processor the serving takes. The bus's own delivery is measured beside it, in the same run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from desktop_app.serve.controller import Appearance, Controller, ControlState

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

_TOKEN = "bench-token"
_WORDS = tuple(
    "it was the age of wisdom it was the age of foolishness it was the epoch of belief".split()  # noqa: SIM905 - read as said
)


def main(arguments: list[str]) -> int:
    """Serve and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readers", type=int, default=50)
    parser.add_argument("--stalled", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--rate", type=float, default=10.0, help="caption updates a second")
    parser.add_argument("--read", metavar="HOST:PORT", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.read:
        asyncio.run(_read(options.read, options.readers - options.stalled, options.stalled))
        return 0
    return _serve(options)


def _serve(options: argparse.Namespace) -> int:
    from desktop_app.serve.server import WebServer
    from engine.bus import CaptionBus
    from engine.types import StreamHeader, StreamSummary

    # Readers of captions ask for no more than the two questions it answers.
    server = WebServer(cast("Controller", _Idle()), _TOKEN, 0)
    server.start()
    bus_sink = _BusSink()
    bus = CaptionBus([server.sink, bus_sink])
    bus.open(StreamHeader("0", "bench", "cpu", "balanced", 16_000, "bench"))
    host = server.address.removeprefix("http://")
    asked = ["--read", host, "--readers", str(options.readers), "--stalled", str(options.stalled)]
    readers = subprocess.Popen(
        [sys.executable, __file__, *asked],
        stdout=subprocess.PIPE,
        stdin=subprocess.PIPE,
        text=True,
    )
    assert readers.stdout is not None
    assert readers.stdin is not None
    readers.stdout.readline()
    while server.hub.readers < options.readers:
        time.sleep(0.05)
    begun, cpu = time.monotonic(), time.process_time()
    own = time.thread_time()
    count = int(options.seconds * options.rate)
    for number in range(count):
        time.sleep(max(begun + number / options.rate - time.monotonic(), 0.0))
        bus.publish(_update(number))
    passed = time.monotonic() - begun
    serving = time.process_time() - cpu - (time.thread_time() - own)
    time.sleep(0.5)
    readers.stdin.close()
    found = json.loads(readers.stdout.readline())
    readers.wait()
    dropped = server.hub.dropped
    server.stop()
    bus.close(StreamSummary(0, 0, 0, 0, 0, 0, 0, 0))
    late = sorted(found["late"])
    expected = (options.readers - options.stalled) * count
    print(f"{options.readers} readers, {options.stalled} stalled, {count} updates, {passed:.1f} s")
    print(f"load average of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    print(f"received by those that read: {len(late)} of {expected}; readers dropped: {dropped}")
    print(
        f"later than published, ms: bus {_percentiles(bus_sink.late)}; readers {_percentiles(late)}"
    )
    print(f"processor for serving: {serving / passed:.3f} cores")
    print(f"readers' own scheduling, ms late: {_percentiles(found['idle'])}")
    return 0


def _percentiles(seconds: list[float]) -> str:
    from engine.stats import percentiles

    found = percentiles(seconds)
    return "none" if found.p50 is None else f"p50 {found.p50:.2f}, p95 {found.p95:.2f}"


def _update(number: int):  # type: ignore[no-untyped-def]
    from engine.types import CaptionUpdate, Word

    place = number % len(_WORDS) + 1
    words = tuple(Word(text, 0.3 * at, 0.3 * at + 0.3) for at, text in enumerate(_WORDS[:place]))
    final = place == len(_WORDS)
    # The moment it was published travels with it, where a reader finds it quickly.
    return CaptionUpdate(
        lane="mic",
        segment_id=number // len(_WORDS),
        revision=place,
        stable=" ".join(_WORDS[:place]),
        unstable="" if final else " and",
        start=0.0,
        end=0.3 * place,
        heard_at=0.0,
        is_final=final,
        words=words,
        language=f"@{time.monotonic():.6f}@",
    )


class _BusSink:
    """How late the bus itself is."""

    name = "bench"

    def __init__(self) -> None:
        self.late: list[float] = []

    def open(self, header: object) -> None:
        """Nothing to prepare."""

    def update(self, update, published_at: float) -> None:  # type: ignore[no-untyped-def]
        """Note how late."""
        del published_at
        self.late.append(time.monotonic() - float(update.language.strip("@")))

    def notice(self, notice: object) -> None:
        """Nothing to note."""

    def close(self, summary: object) -> None:
        """Nothing to close."""


class _Idle:
    """A controller of nothing."""

    def state(self) -> ControlState:
        """What runs: nothing."""
        from desktop_app.serve.controller import ControlState

        return ControlState("running", "mic", "", "", "", "", 50.0, "balanced", "", "")

    def appearance(self) -> Appearance:
        """As shipped."""
        from desktop_app.serve.controller import Appearance

        return Appearance()


_HANDSHAKE = (
    "GET /captions HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
    f"Authorization: Bearer {_TOKEN}\r\n\r\n"
)


class _Reader(asyncio.Protocol):
    """Looks for the moments in what comes, and answers no more than it must."""

    def __init__(self, late: list[float]) -> None:
        self._late = late

    def data_received(self, data: bytes) -> None:
        """Note how late each caption in it is."""
        now = time.monotonic()
        parts = data.split(b'"@')
        self._late += [now - float(part.partition(b"@")[0]) for part in parts[1:]]


async def _read(host: str, reading: int, stalled: int) -> None:
    loop = asyncio.get_running_loop()
    name, _, port = host.partition(":")
    late: list[float] = []
    idle: list[float] = []
    hello = _HANDSHAKE.format(host=host).encode()
    held = []
    for _ in range(stalled):
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect((name, int(port)))
        connection.sendall(hello)
        held.append(connection)
    for _ in range(reading):
        transport, _ = await loop.create_connection(lambda: _Reader(late), name, int(port))
        transport.write(hello)
    print("ready", flush=True)
    over = threading.Event()
    threading.Thread(
        target=_until_input_ends, args=(over,), name="standard input", daemon=True
    ).start()
    while not over.is_set():
        asked = time.monotonic()
        await asyncio.sleep(0.05)
        idle.append(time.monotonic() - asked - 0.05)
    print(json.dumps({"late": late, "idle": idle}), flush=True)


def _until_input_ends(over: threading.Event) -> None:
    sys.stdin.read()
    over.set()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
