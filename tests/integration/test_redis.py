"""Captions in a real Redis, which comes and goes."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from caption_samples import HEADER, SUMMARY, final, partial
from ports import free_port

from engine.errors import SinkError
from engine.sinks.redis_stream import RedisSink

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("redis-server") is None, reason="no redis-server here"),
]


class Server:
    """A Redis of the test's own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        self.process = subprocess.Popen(
            [
                "redis-server", "--port", str(self.port), "--bind", "127.0.0.1",
                "--save", "", "--appendonly", "no", "--dir", str(self.folder),
            ],
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        until = time.monotonic() + 20.0
        while time.monotonic() < until:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        raise AssertionError("redis-server did not start")

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def entries(self, key: str = "captionglass") -> list[dict[str, str]]:
        import redis

        with redis.Redis.from_url(self.url) as client:
            found: Any = client.xrange(key)
        return [
            {name.decode(): value.decode() for name, value in fields.items()} for _, fields in found
        ]

    def wait_for(self, count: int) -> list[dict[str, str]]:
        until = time.monotonic() + 20.0
        while len(found := self.entries()) < count and time.monotonic() < until:
            time.sleep(0.05)
        return found


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path)
    server.start()
    yield server
    server.stop()


def test_each_finished_line_is_an_entry(server: Server) -> None:
    sink = RedisSink(server.url)
    sink.open(HEADER)
    sink.update(partial(0, 0, "", "hel"), 0.0)
    sink.update(final(0, 1, "hello 世界", at=1.5), 0.0)
    sink.close(SUMMARY)
    (entry,) = server.entries()
    assert entry["kind"] == "line"
    assert entry["text"] == "hello 世界"
    assert (entry["lane"], entry["segment"], entry["start"]) == ("file", "0", "1.500")
    assert json.loads(entry["words"])[0] == ["hello", 1.5, 1.8]
    assert abs(float(entry["at"]) - time.time()) < 60.0


def test_partial_lines_are_sent_where_asked_for(server: Server) -> None:
    sink = RedisSink(server.url, "live", partials=True)
    sink.open(HEADER)
    sink.update(partial(0, 0, "", "hel"), 0.0)
    until = time.monotonic() + 20.0
    while not server.entries("live") and time.monotonic() < until:
        time.sleep(0.02)
    sink.update(final(0, 1, "hello"), 0.0)
    sink.close(SUMMARY)
    assert [entry["kind"] for entry in server.entries("live")] == ["partial", "line"]


def test_lines_said_while_it_was_away_come_when_it_is_back(server: Server) -> None:
    sink = RedisSink(server.url)
    sink.open(HEADER)
    sink.update(final(0, 0, "before"), 0.0)
    assert len(server.wait_for(1)) == 1
    server.stop()
    for number in range(1, 4):
        sink.update(final(number, 0, f"line {number}"), 0.0)
    server.start()
    found = server.wait_for(3)
    assert [entry["text"] for entry in found] == ["line 1", "line 2", "line 3"]
    sink.close(SUMMARY)


def test_where_it_never_comes_captions_go_on_and_the_loss_is_told_without_the_password() -> None:
    sink = RedisSink(f"redis://:secret@127.0.0.1:{free_port()}/0")
    sink.open(HEADER)
    for number in range(3):
        sink.update(final(number, 0, "hello"), 0.0)
    with pytest.raises(SinkError) as caught:
        sink.close(SUMMARY)
    assert "3 lines" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_an_address_that_is_none_is_told_at_open() -> None:
    with pytest.raises(SinkError) as caught:
        RedisSink("here").open(HEADER)
    assert caught.value.remedy
