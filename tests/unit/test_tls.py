"""The certificate for the network: made once, kept, and told in one line where it is rubbish."""

from __future__ import annotations

from pathlib import Path

import pytest

from desktop_app.serve.tls import identity
from engine.errors import UsageError


def test_it_is_made_once_and_its_owner_alone_has_the_key(tmp_path: Path) -> None:
    folder = tmp_path / "tls"
    first = identity(folder, ["localhost"])
    assert identity(folder, ["localhost"]).fingerprint == first.fingerprint
    assert (folder / "key.pem").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("name", ["certificate.pem", "key.pem"])
def test_rubbish_is_left_as_it_is_and_told_with_what_to_do(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "tls"
    identity(folder, ["localhost"])
    (folder / name).write_bytes(b"\x00rubbish")
    with pytest.raises(UsageError) as caught:
        identity(folder, ["localhost"])
    assert str(folder) in caught.value.message
    assert caught.value.remedy.startswith("delete what is in the folder")
    assert (folder / name).read_bytes() == b"\x00rubbish"
