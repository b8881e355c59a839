"""A model hub and a publisher's site on this machine, with every fault a network has."""

from __future__ import annotations

import hashlib
import http.server
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from fixtures_models import noise

from models.spec import HttpsFile, HubFile, ModelFile, ModelSpec, Source

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@dataclass
class Behaviour:
    """What the server does to those who ask.

    Attributes:
        cut_after: bytes after which a transfer's connection breaks; each is used once.
        refuse: status codes to answer the next transfers with.
        ignore_ranges: always send the whole file.
        change: sent instead of a file's contents.
        slow: wait for ``go_on`` after the first half of every transfer.
        loop: redirect in a circle.
        lie_about_size: bytes more than there are in Content-Length.
    """

    cut_after: list[int] = field(default_factory=list)
    refuse: list[int] = field(default_factory=list)
    ignore_ranges: bool = False
    change: dict[str, bytes] = field(default_factory=dict)
    slow: bool = False
    loop: bool = False
    lie_about_size: int = 0


class LocalHub:
    """Serves ``/OWNER/NAME/resolve/REVISION/PATH`` as a hub does, and ``/site/PATH`` plainly.

    Attributes:
        files: contents by path inside the repository.
        behaviour: its faults.
        ranges: the Range header of each transfer, in order; empty for none.
        go_on: lets slow transfers end.
        halfway: set when a slow transfer has sent its first half.
        metadata: how often it was asked about files.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.behaviour = Behaviour()
        self.ranges: list[str] = []
        self.go_on = threading.Event()
        self.halfway = threading.Event()
        self.metadata = 0
        hub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_HEAD(self) -> None:
                hub._head(self)

            def do_GET(self) -> None:
                hub._get(self)

            def log_message(self, format: str, *args: object) -> None:
                """Requests are no test output."""

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            block_on_close = False

            def handle_error(self, request: Any, client_address: Any) -> None:
                """A client that leaves is no test output."""

        self._server = Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def cdn(self) -> str:
        """Where large files really lie; another host, as with a real hub."""
        return f"http://localhost:{self._server.server_port}/cdn"

    def model(self, *sources: str, pinned: bool = True, **files: bytes) -> ModelSpec:
        """A model of files the server holds; ``sources`` are ``hub`` or ``site``, in that order."""
        self.files.update(files)
        made = []
        for name, content in files.items():
            places: list[Source] = [
                HubFile("someone/some-model", COMMIT, name)
                if source == "hub"
                else HttpsFile(f"{self.url}/site/{name}")
                for source in sources or ("hub",)
            ]
            digest = hashlib.sha256(content).hexdigest() if pinned else ""
            size = len(content) if pinned else len(content) + 5
            made.append(ModelFile(name, (places[0],), size, digest, tuple(places[1:])))
        return ModelSpec(
            id="far.en",
            title="Far",
            family="tiny",
            kind="recognizer",
            languages=("en",),
            licence="MIT",
            attribution="nobody",
            files=tuple(made),
        )

    def _content(self, handler: Any) -> bytes | None:
        name = handler.path.rpartition("/")[2]
        content = self.files.get(name)
        return self.behaviour.change.get(name, content) if content is not None else None

    def _head(self, handler: Any) -> None:
        self.metadata += 1
        name = handler.path.rpartition("/")[2]
        content = self.files.get(name)
        if content is None:
            handler.send_response(404)
            handler.send_header("X-Error-Code", "EntryNotFound")
            handler.send_header("Content-Length", "0")
            handler.end_headers()
            return
        handler.send_response(302)
        handler.send_header("X-Repo-Commit", COMMIT)
        handler.send_header("X-Linked-Size", str(len(content)))
        handler.send_header("X-Linked-ETag", f'"{hashlib.sha256(content).hexdigest()}"')
        handler.send_header("Location", f"{self.cdn}/{name}")
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    def _get(self, handler: Any) -> None:
        if "/resolve/" in handler.path or self.behaviour.loop:
            handler.send_response(302)
            there = f"{self.cdn}/{handler.path.rpartition('/')[2]}"
            where = self.url + handler.path if self.behaviour.loop else there
            handler.send_header("Location", where)
            handler.send_header("Content-Length", "0")
            handler.end_headers()
            return
        content = self._content(handler)
        asked = handler.headers.get("Range", "")
        self.ranges.append(asked)
        if self.behaviour.refuse or content is None:
            handler.send_response(self.behaviour.refuse.pop(0) if content is not None else 404)
            handler.send_header("Content-Length", "0")
            handler.end_headers()
            return
        etag = f'"{hashlib.sha256(content).hexdigest()[:12]}"'
        start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked else 0
        same = handler.headers.get("If-Range", etag) == etag
        if self.behaviour.ignore_ranges or not same:
            start = 0
        if asked and start >= len(content):
            handler.send_response(416)
            handler.send_header("Content-Range", f"bytes */{len(content)}")
            handler.send_header("Content-Length", "0")
            handler.end_headers()
            return
        handler.send_response(206 if start else 200)
        if start:
            end = len(content) - 1
            handler.send_header("Content-Range", f"bytes {start}-{end}/{len(content)}")
        length = len(content) - start + self.behaviour.lie_about_size
        handler.send_header("Content-Length", str(length))
        handler.send_header("ETag", etag)
        handler.end_headers()
        self._send(handler, content[start:])

    def _send(self, handler: Any, rest: bytes) -> None:
        if self.behaviour.cut_after:
            cut = self.behaviour.cut_after.pop(0)
            if cut < len(rest):
                handler.wfile.write(rest[:cut])
                handler.wfile.flush()
                handler.close_connection = True
                handler.connection.close()
                return
        if self.behaviour.slow:
            handler.wfile.write(rest[: len(rest) // 2])
            handler.wfile.flush()
            self.halfway.set()
            self.go_on.wait(30)
            rest = rest[len(rest) // 2 :]
        handler.wfile.write(rest)

    def close(self) -> None:
        self.go_on.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def local_hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[LocalHub]:
    """The hub, set as the mirror; whatever breaks is tried again at once."""
    hub = LocalHub()
    monkeypatch.setenv("HF_ENDPOINT", hub.url + "/")
    monkeypatch.setenv("HF_HUB_DISABLE_TELEMETRY", "1")
    for variable in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(variable, raising=False)
        monkeypatch.delenv(variable.upper(), raising=False)
    monkeypatch.setattr("models.https._RETRY_S", 0.0)
    yield hub
    hub.close()


def contents() -> dict[str, bytes]:
    """Two files: one of some pieces, one small."""
    return {"weights.bin": noise(1_000_000, 7), "tokens.txt": noise(3_000, 8)}
