"""``captionglass ctl`` against a server, and the network with TLS."""

from __future__ import annotations

import json
import socket
import ssl
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from caption_samples import final
from fixtures_serve import TOKEN, Served

from desktop_app import secrets
from desktop_app.cli.main import run
from desktop_app.secrets import Secrets
from desktop_app.serve.tls import identity


@pytest.fixture(autouse=True)
def token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secrets, "_shared", Secrets(None))
    monkeypatch.setenv("CAPTIONGLASS_TOKEN", TOKEN)


def test_every_command(served: Served, capsys: pytest.CaptureFixture[str]) -> None:
    there = ["--address", served.address]
    for arguments, printed in (
        (["state"], "state: running"),
        (["stats"], "state: running"),
        (["pause"], "state: paused"),
        (["start"], "state: running"),
        (["source", "both"], "source: both"),
        (["slider", "12.5"], "slider: 12.5"),
        (["profile", "accurate"], "profile: accurate"),
        (["models"], "* fake-model"),
        (["switch-model", "fake-zh"], "model: fake-zh"),
        (["switch-model", "--language", "zh-CN"], "model: fake-zh"),
        (["preset", "Quiet talk"], "preset: Quiet talk"),
        (["preset"], "* Quiet talk"),
        (["page"], f"{served.address}/#token=a%20token-with%2Fodd%2Bsigns%20%C3%BC"),
    ):
        assert run(["ctl", *arguments, *there]) == 0, arguments
        captured = capsys.readouterr()
        assert printed in captured.out
        assert captured.err == ""
    assert run(["ctl", "state", "--json", *there]) == 0
    assert json.loads(capsys.readouterr().out)["model"] == "fake-zh"


def test_captions_until_the_end(served: Served, capsys: pytest.CaptureFixture[str]) -> None:
    served.say(final(0, 0, "said before"))

    def end() -> None:
        while served.server.hub.readers == 0:
            time.sleep(0.01)
        served.say(final(1, 0, "世界"))
        time.sleep(0.2)
        served.server.stop()

    thread = threading.Thread(target=end, name="end")
    thread.start()
    assert run(["ctl", "captions", "--from", "0", "--address", served.address]) == 0
    thread.join()
    assert capsys.readouterr().out.splitlines() == ["said before", "世界"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["source", "/etc/passwd"], "no such source"),
        (["switch-model", "fake-modle"], "did you mean"),
        (["switch-model"], "name either"),
        (["profile", "blanced"], "did you mean balanced"),
        (["preset", "Nothing"], "no preset is called 'Nothing'"),
    ],
)
def test_a_refusal_is_one_line(
    served: Served, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert run(["ctl", *arguments, "--address", served.address]) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert said in line


def test_nobody_there_another_token_and_no_token(
    served: Served, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{free.getsockname()[1]}"
    assert run(["ctl", "state", "--address", nobody]) == 1
    assert "web_enabled" in capsys.readouterr().err
    assert run(["ctl", "captions", "--address", nobody]) == 1
    assert run(["ctl", "state", "--address", "http://192.0.2.1:8765"]) == 2
    assert run(["ctl", "state", "--address", "nonsense"]) == 2
    capsys.readouterr()
    monkeypatch.setenv("CAPTIONGLASS_TOKEN", "other")
    assert run(["ctl", "state", "--address", served.address]) == 1
    assert "another token" in capsys.readouterr().err
    monkeypatch.delenv("CAPTIONGLASS_TOKEN")
    assert run(["ctl", "state", "--address", served.address]) == 1
    assert "CAPTIONGLASS_TOKEN" in capsys.readouterr().err


def test_to_the_network_with_tls_and_a_pinned_certificate(
    serve: Callable[..., Served], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    served = serve(network_port=0, folder=tmp_path / "tls")
    port = served.server._network_port
    there = ["--address", f"https://127.0.0.1:{port}"]
    pin = ["--fingerprint", served.server.fingerprint]
    assert run(["ctl", "state", *there, *pin]) == 0
    capsys.readouterr()
    assert run(["ctl", "state", *there]) == 1
    assert "--fingerprint" in capsys.readouterr().err
    assert run(["ctl", "state", *there, "--fingerprint", "00" * 32]) == 1
    assert "another fingerprint" in capsys.readouterr().err
    assert run(["ctl", "state", *there, "--fingerprint", "xx"]) == 2
    assert (tmp_path / "tls" / "key.pem").stat().st_mode & 0o077 == 0
    for address in served.server.network_addresses:
        assert address.startswith("https://")
    old = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    old.check_hostname = False
    old.verify_mode = ssl.CERT_NONE
    old.maximum_version = ssl.TLSVersion.TLSv1_2
    with (
        socket.create_connection(("127.0.0.1", port)) as plain,
        pytest.raises((ssl.SSLError, ConnectionError)),
    ):
        old.wrap_socket(plain)


def test_without_the_switch_only_loopback_is_reached(served: Served) -> None:
    port = int(served.host.partition(":")[2])
    open_ports = [each for each in psutil.Process().net_connections() if each.status == "LISTEN"]
    assert [each.laddr.ip for each in open_ports if each.laddr.port == port] == ["127.0.0.1"]
    assert served.server.network_addresses == []


def test_the_certificate_stays_the_same(tmp_path: Path) -> None:
    first = identity(tmp_path, ["desk", "192.0.2.7"])
    assert identity(tmp_path, []).fingerprint == first.fingerprint
    assert len(first.fingerprint.split(":")) == 32
