"""Fetch one file over HTTPS: resumed where it broke off, hashed as it arrives, bounded in size.

The bytes arrive on a thread of their own with the lowest priority the system gives, in small
pieces, so that captions which run meanwhile do not stutter.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import http.client
import os
import socket
import ssl
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlsplit

from models.background import Speed, lower_priority
from models.errors import DownloadError

_CHUNK_BYTES = 256 << 10
_MOST_REDIRECTS = 5
_PATIENCE_S = 30.0
_POLL_S = 0.1
_TRIES = 4
_TRIES_AT_FIRST = 2
_RETRY_S = 0.5
_LEAVE_S = 1.5
_TRY_AGAIN = "try again; what has arrived is kept"


@dataclass(frozen=True, slots=True)
class Remote:
    """A file to be fetched.

    Attributes:
        url: where.
        size: bytes it must have; 0 where that is not known.
        most: bytes it may have.
        sha256: what it must hash to; empty where that is not known.
        headers: sent to that address, and not to where it redirects.
    """

    url: str
    size: int
    most: int
    sha256: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


class PassingError(DownloadError):
    """The connection failed in a way that may pass."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What arrived.

    Attributes:
        size: bytes.
        sha256: of the whole file.
    """

    size: int
    sha256: str


def fetch(
    name: str,
    locate: Callable[[], Remote],
    part: Path,
    received: Callable[[int, str], None],
    cancel: threading.Event | None = None,
    pause: threading.Event | None = None,
) -> Fetched:
    """Fetch one file; go on where ``part`` ends.

    Args:
        name: of the file, for messages.
        locate: says where it is; asked again, on another thread, whenever the connection broke.
        part: where to write. Whatever stops the transfer, what has arrived stays there.
        received: told the bytes received so far and the speed, about ten times a second.
        cancel: set it, from any thread, to give up.
        pause: while it is set the connection is given up and nothing arrives.

    Raises:
        DownloadError: offline, refused, not there, too large, not what was expected, cancelled.
        OSError: ``part`` cannot be written.
    """
    transfer = _Transfer(name, locate, part)
    thread = threading.Thread(target=transfer.run, name="fetch-model", daemon=True)
    speed = Speed()
    thread.start()
    try:
        while thread.is_alive():
            thread.join(_POLL_S)
            if cancel is not None and cancel.is_set():
                raise DownloadError(f"fetching {name} was stopped")
            held = pause is not None and pause.is_set()
            transfer.hold(held)
            received(transfer.done, "paused" if held else speed.text(transfer.done))
    finally:
        transfer.stop()
        thread.join(_LEAVE_S)
    if transfer.error is not None:
        raise transfer.error
    received(transfer.done, speed.text(transfer.done))
    return Fetched(transfer.done, transfer.sha256)


class _Transfer:
    """The thread's work; ``done`` may be read from any thread, the rest once it has ended."""

    def __init__(self, name: str, locate: Callable[[], Remote], part: Path) -> None:
        self.done = 0
        self.sha256 = ""
        self.error: Exception | None = None
        self._name = name
        self._locate = locate
        self._part = part
        self._etag_file = part.with_name(part.name + ".etag")
        self._digest = hashlib.sha256()
        self._stop = threading.Event()
        self._go_on = threading.Event()
        self._go_on.set()
        self._response: Any = None

    def hold(self, held: bool) -> None:
        if held and self._go_on.is_set():
            self._go_on.clear()
            self._hang_up()
        elif not held:
            self._go_on.set()

    def stop(self) -> None:
        self._stop.set()
        self._go_on.set()
        self._hang_up()

    def run(self) -> None:
        lower_priority()
        try:
            self._run()
        except (DownloadError, OSError) as error:
            self.error = error
        except Exception as error:  # noqa: BLE001 - a thread's failure must reach whoever waits
            self.error = DownloadError(f"could not fetch {self._name} ({error})", _TRY_AGAIN)

    def _run(self) -> None:
        self._take_up()
        failures = 0
        while True:
            self._go_on.wait()
            if self._stop.is_set():
                return
            before = self.done
            try:
                remote = self._locate()
                self._connect(remote)
                break
            except PassingError:
                if not self._go_on.is_set() or self._stop.is_set():
                    continue
                failures = 0 if self.done > before else failures + 1
                if failures >= (_TRIES if self.done else _TRIES_AT_FIRST):
                    raise
                self._stop.wait(_RETRY_S * 2**failures)
        self.sha256 = self._digest.hexdigest()
        wrong_size = bool(remote.size) and self.done != remote.size
        if wrong_size or (remote.sha256 and self.sha256 != remote.sha256):
            self._forget()
            raise _not_as_listed(self._name, "size" if wrong_size else "sha256")

    def _take_up(self) -> None:
        """Hash what an earlier transfer has left."""
        with contextlib.suppress(FileNotFoundError), self._part.open("rb") as stream:
            while (block := stream.read(_CHUNK_BYTES)) and not self._stop.is_set():
                self._digest.update(block)
                self.done += len(block)

    def _forget(self) -> None:
        self._part.unlink(missing_ok=True)
        self._etag_file.unlink(missing_ok=True)
        self._digest = hashlib.sha256()
        self.done = 0

    def _connect(self, remote: Remote) -> None:
        if remote.size and self.done == remote.size and remote.sha256:
            return
        etag = _read(self._etag_file)
        if self.done and (self.done > remote.most or not (remote.sha256 or etag)):
            # Nothing tells whether what lies here is the beginning of what lies there.
            self._forget()
        request = urllib.request.Request(remote.url, headers={"Accept-Encoding": "identity"})
        for key, value in remote.headers.items():
            request.add_unredirected_header(key, value)
        if self.done:
            request.add_header("Range", f"bytes={self.done}-")
            if etag and not remote.sha256:
                request.add_header("If-Range", etag)
        try:
            with _opener(remote.url).open(request, timeout=_PATIENCE_S) as response:
                self._response = response
                self._receive(response, remote)
        except urllib.error.HTTPError as error:
            with error:
                if error.code == 416 and self._is_complete(str(error.headers["Content-Range"])):
                    return
                self._refused(error.code)
        except _DiskError as error:
            raise error.error from error
        except (urllib.error.URLError, http.client.HTTPException, OSError, ValueError) as error:
            raise _explain(self._name, error) from error
        finally:
            self._response = None

    def _receive(self, response: Any, remote: Remote) -> None:
        if self.done and not (response.status == 206 and _starts_at(response, self.done)):
            self._forget()
        length = response.headers.get("Content-Length", "")
        total = self.done + int(length) if length.isdecimal() else 0
        if total and ((remote.size and total != remote.size) or total > remote.most):
            self._forget()
            raise _not_as_listed(self._name, "size")
        etag = response.headers.get("ETag", "")
        with _writing():
            self._part.parent.mkdir(parents=True, exist_ok=True)
            self._etag_file.write_text(
                "" if etag.startswith("W/") else etag, encoding="utf-8", newline="\n"
            )
            out = self._part.open("ab" if self.done else "wb")
        try:
            while not self._stop.is_set() and self._go_on.is_set():
                block = response.read1(_CHUNK_BYTES)
                if not block:
                    break
                if self.done + len(block) > remote.most:
                    self._forget()
                    raise _not_as_listed(self._name, "size")
                with _writing():
                    out.write(block)
                self._digest.update(block)
                self.done += len(block)
            with _writing():
                out.flush()
                os.fsync(out.fileno())
        finally:
            with _writing():
                out.close()
        if self.done < total or self._stop.is_set() or not self._go_on.is_set():
            raise PassingError(f"fetching {self._name} broke off", _TRY_AGAIN)

    def _is_complete(self, content_range: str) -> bool:
        total = content_range.rpartition("/")[2]
        if total.isdecimal() and int(total) == self.done:
            return True
        self._forget()
        raise PassingError(f"fetching {self._name} broke off", _TRY_AGAIN)

    def _refused(self, code: int) -> None:
        what = f"could not fetch {self._name}"
        if code in (408, 425, 429) or code >= 500:
            raise PassingError(f"{what}, the server is overloaded", "try again later")
        if code in (401, 403, 407):
            raise DownloadError(f"{what}, the server refuses", "see whether it wants a login")
        if code in (404, 410):
            raise DownloadError(f"{what}, the server has no such file", "update Captionglass")
        raise DownloadError(f"{what}, the server answers {code}", "try again later")

    def _hang_up(self) -> None:
        """Wake the thread where it waits for bytes."""
        response = self._response
        with contextlib.suppress(AttributeError, OSError, ValueError):
            response.fp.raw._sock.shutdown(socket.SHUT_RDWR)


class _DiskError(Exception):
    """Our own disk failed, not the connection."""

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.error = error


@contextlib.contextmanager
def _writing() -> Any:
    try:
        yield
    except OSError as error:
        raise _DiskError(error) from error


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows few, and none out of an encrypted connection into the open."""

    max_redirections = _MOST_REDIRECTS

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        if urlsplit(newurl).scheme not in ("https", urlsplit(req.full_url).scheme):
            raise urllib.error.URLError("it redirects to an address that is not encrypted")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _opener(url: str) -> urllib.request.OpenerDirector:
    handlers: list[urllib.request.BaseHandler] = [_Redirects()]
    if urlsplit(url).scheme == "https":
        handlers.append(urllib.request.HTTPSHandler(context=_certificates()))
    return urllib.request.build_opener(*handlers)


def _certificates() -> ssl.SSLContext:
    context = ssl.create_default_context()
    with contextlib.suppress(ImportError, OSError):
        # The packaged application finds none of the system's own on some systems.
        import certifi

        context.load_verify_locations(certifi.where())
    return context


def _explain(name: str, error: Exception) -> PassingError:
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    what = f"could not fetch {name}"
    if isinstance(reason, ssl.SSLCertVerificationError):
        return PassingError(
            f"{what}, the server's certificate is not trusted",
            "set SSL_CERT_FILE to your certificates, then try again",
        )
    if isinstance(reason, TimeoutError):
        return PassingError(f"{what}, the server does not answer", "try again later")
    if isinstance(reason, socket.gaierror) or (
        isinstance(reason, OSError)
        and reason.errno
        in (errno.ECONNREFUSED, errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN)
    ):
        return PassingError(
            f"{what}, the network cannot be reached", "check the connection, then try again"
        )
    if isinstance(reason, OSError | http.client.HTTPException):
        return PassingError(f"{what}, the connection broke", _TRY_AGAIN)
    return PassingError(f"{what} ({reason})", _TRY_AGAIN)


def _not_as_listed(name: str, what: str) -> DownloadError:
    return DownloadError(
        f"the file {name} came with the wrong {what}",
        "try again; if it stays so, the server holds a changed file",
    )


def _starts_at(response: Any, place: int) -> bool:
    return str(response.headers.get("Content-Range", "")).startswith(f"bytes {place}-")


def _read(path: Path) -> str:
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return path.read_text(encoding="utf-8").strip()
    return ""
