"""The caption page's files, its address, and the file that OBS can be given instead of it."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from assets import ASSETS
from engine.errors import UsageError
from models.whole import write_whole


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file of the page, as it is served."""

    content: bytes
    content_type: str


def _file(name: str, content_type: str) -> PageFile:
    return PageFile((ASSETS / name).read_bytes(), content_type)


PAGE_FILES = {
    "/": _file("web/captions.html", "text/html; charset=utf-8"),
    "/captions.css": _file("web/captions.css", "text/css; charset=utf-8"),
    "/lines.js": _file("web/lines.js", "text/javascript; charset=utf-8"),
    "/captions.js": _file("web/captions.js", "text/javascript; charset=utf-8"),
    "/icon.svg": _file("icon.svg", "image/svg+xml"),
    "/fonts/Inter-Medium.otf": _file("fonts/Inter-Medium.otf", "font/otf"),
    "/fonts/Inter-SemiBold.otf": _file("fonts/Inter-SemiBold.otf", "font/otf"),
}
"""By the path they are served under. The same for everybody: nothing of the user's is in them."""


def page_address(address: str, token: str) -> str:
    """The page's address with the token where no server sees it.

    Args:
        address: of the server, ``http://127.0.0.1:8765``.
        token: what requests bring.
    """
    return f"{address}/#token={quote(token, safe='')}"


def obs_file(address: str, token: str) -> str:
    """An HTML file that goes to the page as soon as it is there.

    OBS does not try a page again whose server did not answer, but a file is always there. What
    stands behind the # or the ? of its own address is passed on.
    """
    # In a script neither < nor the two line separators may stand as they are.
    server = json.dumps(address).replace("<", "\\u003c")
    fragment = json.dumps(f"token={quote(token, safe='')}").replace("<", "\\u003c")
    template = (ASSETS / "web" / "obs.html").read_text(encoding="utf-8")
    return (
        template.replace('"%SERVER%"', server)
        .replace('"%FRAGMENT%"', fragment)
        .replace("%ADDRESS%", html.escape(address))
    )


def default_obs_file() -> Path:
    """Where "Copy for OBS" writes it."""
    from platformdirs import user_data_path

    return user_data_path("captionglass", appauthor=False) / "captionglass-obs.html"


def write_obs_file(path: Path, address: str, token: str) -> None:
    """Write the file for OBS, readable by its owner alone: the token is in it.

    Raises:
        UsageError: it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, obs_file(address, token).encode())
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written ({error.strerror})", "name a file in a folder of yours"
        ) from error
