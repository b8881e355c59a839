"""Where secrets are kept, and that they are kept from others."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import keyring
import pytest
from keyring.backend import KeyringBackend
from keyring.backends import fail, null
from keyring.errors import KeyringLocked, PasswordDeleteError

from desktop_app import secrets
from desktop_app.secrets import Secrets, SecretsError, variable

Use = Callable[[KeyringBackend], None]


class Kept(KeyringBackend):
    """A keyring that works."""

    priority = 1  # type: ignore[assignment]

    def __init__(self) -> None:
        self.passwords: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.passwords.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.passwords[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if self.passwords.pop((service, username), None) is None:
            raise PasswordDeleteError("not there")


class Locked(Kept):
    """A keyring whose owner does not unlock it."""

    def get_password(self, service: str, username: str) -> str | None:
        raise KeyringLocked(f"{service} {username}")

    def set_password(self, service: str, username: str, password: str) -> None:
        raise KeyringLocked(f"{service} {username} {len(password)}")

    delete_password = get_password  # type: ignore[assignment]


@pytest.fixture
def use() -> Iterator[Use]:
    before = keyring.get_keyring()
    yield keyring.set_keyring
    keyring.set_keyring(before)


@pytest.fixture
def kept(use: Use) -> Kept:
    backend = Kept()
    use(backend)
    return backend


def test_a_keyring_keeps_it_and_nothing_else_does(kept: Kept, tmp_path: Path) -> None:
    file = tmp_path / "secrets.json"
    mine = Secrets(file, {})
    assert mine.get("token") is None
    assert mine.set("token", "s3cret") == "keyring"
    assert kept.passwords == {("captionglass", "token"): "s3cret"}
    assert not file.exists()
    assert Secrets(None, {}).find("token") == ("s3cret", "keyring")
    mine.delete("token")
    mine.delete("token")
    assert kept.passwords == {}


@pytest.mark.parametrize("backend", [fail.Keyring, null.Keyring, Locked])
def test_without_a_keyring_it_lasts_for_the_run(use: Use, backend: type[KeyringBackend]) -> None:
    use(backend())
    mine = Secrets(None, {})
    assert mine.set("token", "s3cret") == "memory"
    assert mine.find("token") == ("s3cret", "memory")
    assert Secrets(None, {}).get("token") is None
    mine.delete("token")
    assert mine.get("token") is None


def test_a_chosen_file_is_for_the_user_alone(use: Use, tmp_path: Path) -> None:
    use(fail.Keyring())
    file = tmp_path / "config" / "secrets.json"
    mine = Secrets(file, {})
    assert mine.set("token", "s3cret") == "file"
    mine.set("obs-password", "p w 密码")
    assert Secrets(file, {}).find("obs-password") == ("p w 密码", "file")
    if os.name == "posix":
        assert file.stat().st_mode & 0o777 == 0o600
        file.chmod(0o644)
        with pytest.raises(SecretsError, match="other users") as caught:
            mine.get("token")
        assert "s3cret" not in str(caught.value)
        assert "chmod 600" in caught.value.remedy
        file.chmod(0o600)
    mine.delete("token")
    assert "s3cret" not in file.read_text("utf-8")
    assert sorted(entry.name for entry in file.parent.iterdir()) == ["secrets.json"]


def test_a_keyring_that_came_takes_it_out_of_the_file(use: Use, tmp_path: Path) -> None:
    use(fail.Keyring())
    file = tmp_path / "secrets.json"
    mine = Secrets(file, {})
    mine.set("token", "old")
    use(Kept())
    assert mine.set("token", "new") == "keyring"
    assert "old" not in file.read_text("utf-8")


def test_a_damaged_file_is_told_and_kept(use: Use, tmp_path: Path) -> None:
    use(fail.Keyring())
    file = tmp_path / "secrets.json"
    for content in ("{", "[]"):
        file.write_text(content, encoding="utf-8")
        file.chmod(0o600)
        with pytest.raises(SecretsError) as caught:
            Secrets(file, {}).set("token", "s3cret")
        assert caught.value.remedy
        assert file.read_text("utf-8") == content


@pytest.mark.usefixtures("kept")
def test_the_environment_comes_first() -> None:
    assert variable("obs-password") == "CAPTIONGLASS_OBS_PASSWORD"
    mine = Secrets(None, {"CAPTIONGLASS_TOKEN": "given"})
    mine.set("token", "kept")
    assert mine.find("token") == ("given", "environment")
    assert Secrets(None, {"CAPTIONGLASS_TOKEN": ""}).get("token") == "kept"


@pytest.mark.usefixtures("kept")
def test_nothing_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    mine = Secrets(None, {})
    mine.set("token", "s3cret")
    mine.get("token")
    assert "s3cret" not in caplog.text


def test_the_settings_choose_the_file(
    use: Use, own_folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(fail.Keyring())
    folder = own_folders / "config" / "captionglass"
    for chosen, place in (("false", "memory"), ("true", "file")):
        monkeypatch.setattr(secrets, "_shared", None)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "settings.toml").write_text(f"secrets_in_file = {chosen}\n", encoding="utf-8")
        assert secrets.set("token", "s3cret") == place
        assert secrets.get("token") == "s3cret"
        secrets.delete("token")
        assert secrets.get("token") is None
