"""Where a file of a model hub is to be had, through the hub's own library: its address, a mirror
somebody has set, an account somebody is logged into."""

from __future__ import annotations

import os
import re
from typing import Any

from models.errors import DownloadError
from models.https import PassingError, Remote
from models.spec import HubFile

MIRROR_VARIABLE = "HF_ENDPOINT"
"""Environment variable that names another hub with the same interface; the library's own."""

_PATIENCE_S = 15.0
_SHA256 = re.compile(r"[0-9a-f]{64}")


_chosen = ""


def use_mirror(url: str) -> None:
    """Fetch from a mirror from now on, unless the environment names one; empty: from the hub."""
    global _chosen
    _chosen = url.strip().rstrip("/")


def mirror() -> str:
    """The mirror that is set, without a slash at its end; empty for the hub itself."""
    return os.environ.get(MIRROR_VARIABLE, "").strip().rstrip("/") or _chosen


def locate(file: HubFile, size: int, most: int, sha256: str = "") -> Remote:
    """Ask the hub about a file.

    Args:
        file: which.
        size: bytes it must have; 0 where that is not known.
        most: bytes it may have.
        sha256: what it must hash to; empty takes what the hub itself says.

    Raises:
        DownloadError: offline, no such file, a login is wanted.
    """
    from huggingface_hub import get_hf_file_metadata, hf_hub_url
    from huggingface_hub.utils import build_hf_headers  # type: ignore[attr-defined]

    place = mirror() or None
    try:
        url = hf_hub_url(file.repo, file.path, revision=file.revision, endpoint=place)
        headers = build_hf_headers(library_name="captionglass")
        found = get_hf_file_metadata(url, timeout=_PATIENCE_S, headers=headers, endpoint=place)
    except Exception as error:
        raise _explain(file, error) from error
    etag = found.etag or ""
    known = etag if _SHA256.fullmatch(etag) else ""
    return Remote(
        url=url,
        size=size or found.size or 0,
        most=most,
        sha256=sha256 or known,
        headers={key: value for key, value in headers.items() if isinstance(value, str)},
    )


def _explain(file: HubFile, error: Exception) -> DownloadError:
    """The error that says in one line what the library's means.

    The library has changed both its errors' home and what it speaks HTTP with; their names stay.
    """
    what = f"could not fetch {file}"
    names = {kind.__name__ for kind in type(error).__mro__}
    status: Any = getattr(getattr(error, "response", None), "status_code", None)
    if names & {"OfflineModeIsEnabled"}:
        return DownloadError(f"{what}, the hub's library is set to offline", "unset HF_HUB_OFFLINE")
    if names & {"GatedRepoError"} or status in (401, 403):
        return DownloadError(f"{what}, the hub wants a login", "log in with: hf auth login")
    if (
        names & {"RepositoryNotFoundError", "RevisionNotFoundError", "EntryNotFoundError"}
        or status == 404
    ):
        return DownloadError(f"{what}, the hub has no such file", "update Captionglass")
    if status is not None and (status == 429 or status >= 500):
        return PassingError(f"{what}, the hub is overloaded", "try again later")
    if any("Timeout" in name for name in names):
        return PassingError(f"{what}, the hub does not answer", "try again later")
    if any("Connect" in name or "Network" in name for name in names) or isinstance(error, OSError):
        return PassingError(
            f"{what}, the hub cannot be reached",
            f"check the connection, or set {MIRROR_VARIABLE} to a mirror, then try again",
        )
    reason = str(error).strip().splitlines()
    return DownloadError(f"{what} ({reason[0] if reason else type(error).__name__})", "try again")
