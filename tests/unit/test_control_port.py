"""The control port over real connections: what it answers, and to whom."""

from __future__ import annotations

import http.client
import json
import logging
import socket
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

import pytest
from caption_samples import final
from fixtures_serve import TOKEN, Served

from desktop_app.serve import openapi
from desktop_app.serve.guard import Limits
from desktop_app.serve.page import PAGE_FILES
from desktop_app.serve.server import PortError

Answer = tuple[int, dict[str, str], Any]
BEARER = {"Authorization": f"Bearer {TOKEN}".encode()}


def ask(
    served: Served,
    method: str,
    path: str,
    body: Any = None,
    headers: dict[str, Any] | None = None,
    token: bool = True,
) -> Answer:
    """Status, headers in lower case, and the body, read as JSON where it is that."""
    host, _, port = served.host.partition(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=10.0)
    sent = dict(BEARER if token else {}) | (headers or {})
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
        sent.setdefault("Content-Type", "application/json")
    try:
        connection.request(method, path, body, sent)
        response = connection.getresponse()
        content = response.read()
        found = {name.lower(): value for name, value in response.getheaders()}
        is_json = found.get("content-type", "").startswith("application/json")
        return response.status, found, json.loads(content) if is_json else content
    finally:
        connection.close()


def test_state_and_statistics(served: Served) -> None:
    status, _, state = ask(served, "GET", "/state")
    assert status == 200
    assert (state["state"], state["profile"]) == ("running", "balanced")
    status, _, stats = ask(served, "GET", "/stats")
    assert status == 200
    assert stats["level_dbfs"] == {"mic": None}
    assert stats["speaking"] == ["mic"]


def test_everything_that_can_be_changed(served: Served) -> None:
    for method, path, body in (
        ("POST", "/pause", None),
        ("POST", "/start", None),
        ("PUT", "/source", {"source": "both"}),
        ("PUT", "/slider", {"position": 12.5}),
        ("PUT", "/profile", {"profile": "accurate"}),
        ("POST", "/switch_model?id=fake-zh", None),
        ("POST", "/switch_model?lang=en-GB", None),
        ("POST", "/switch_model?lang=zh-CN", None),
        ("PUT", "/preset", {"preset": "Quiet talk"}),
    ):
        assert ask(served, method, path, body)[0] == 200, path
    assert served.controller.calls == [
        ("pause",),
        ("start",),
        ("source", "both"),
        ("slider", 12.5),
        ("slider", 100.0),
        ("model", "fake-zh"),
        ("model", "fake-model"),
        ("model", "fake-zh"),
        ("preset", "Quiet talk"),
    ]
    rows = ask(served, "GET", "/presets")[2]["presets"]
    assert [(row["name"], row["in_use"]) for row in rows] == [
        ("Meeting", False),
        ("Quiet talk", True),
    ]
    assert ask(served, "GET", "/state")[2]["preset"] == "Quiet talk"
    assert ask(served, "GET", "/state")[2]["model"] == "fake-zh"
    assert ask(served, "GET", "/models")[2]["models"][0]["id"] == "fake-model"


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("PUT", "/slider", {"position": 101}, 400),
        ("PUT", "/slider", {"position": 10**400}, 400),
        ("PUT", "/slider", b'{"position": NaN}', 400),
        ("PUT", "/slider", {"position": True}, 400),
        ("PUT", "/slider", {"position": "5"}, 400),
        ("PUT", "/slider", {"position": 5, "more": 1}, 400),
        ("PUT", "/slider", b"[" * 5000, 400),
        ("PUT", "/slider", b"\xff", 400),
        ("PUT", "/profile", {"profile": "blanced"}, 400),
        ("PUT", "/preset", {"preset": "Nothing"}, 400),
        ("PUT", "/preset", {"preset": "x" * 61}, 400),
        ("PUT", "/source", {"source": ""}, 400),
        ("PUT", "/source", {"source": "/etc/passwd"}, 400),
        ("PUT", "/source", b"x" * 20_000, 413),
        ("POST", "/switch_model", None, 400),
        ("POST", "/switch_model?id=a&lang=en", None, 400),
        ("POST", "/switch_model?id=nothing", None, 404),
        ("POST", "/switch_model?id=not-here", None, 409),
        ("POST", "/switch_model?lang=tlh", None, 404),
        ("GET", "/nothing", None, 404),
        ("DELETE", "/state", None, 405),
        ("GET", "/captions", None, 426),
        ("GET", "/events?from=-1", None, 400),
        ("GET", "/events?from=" + "9" * 100, None, 400),
        ("GET", "/state?token=x", None, 400),
    ],
)
def test_wrong_requests_are_told_in_one_line(
    served: Served, method: str, path: str, body: Any, status: int
) -> None:
    headers = {"Content-Type": "application/json"} if body is not None else None
    found, _, answer = ask(served, method, path, body, headers)
    assert found == status
    assert answer["error"]
    assert "\n" not in answer["error"]
    assert served.controller.calls == []


def test_a_body_that_a_form_could_send_is_refused(served: Served) -> None:
    body = b'{"source": "both"}'
    assert ask(served, "PUT", "/source", body, {"Content-Type": "text/plain"})[0] == 415


def test_without_the_token_nothing_is_told(served: Served) -> None:
    paths = [path for path in openapi.description("1")["paths"] if path != "/captions"]
    for path in [*paths, "/openapi.json", "/nothing"]:
        for method in ("GET", "PUT", "POST"):
            status, headers, _ = ask(served, method, path, token=False)
            assert status == 401, (method, path)
            assert headers["www-authenticate"] == "Bearer"
    wrong = {"Authorization": f"Bearer {TOKEN}x".encode()}
    assert ask(served, "GET", "/state", headers=wrong)[0] == 401
    assert served.controller.calls == []


def test_other_pages_and_other_names_are_refused_even_with_the_token(served: Served) -> None:
    for headers in (
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Host": "evil.example"},
        {"Host": f"evil.example:{served.host.partition(':')[2]}"},
    ):
        status, found, answer = ask(served, "POST", "/switch_model?id=fake-zh", headers=headers)
        assert status == 403, headers
        assert "access-control-allow-origin" not in found
        assert "evil" not in json.dumps(answer)
    assert ask(served, "GET", "/", headers={"Host": "evil.example"}, token=False)[0] == 403
    assert served.controller.calls == []


def test_the_page_is_for_everybody_and_holds_nothing(served: Served) -> None:
    served.say(final(text="a secret line"))
    for path, file in PAGE_FILES.items():
        status, headers, content = ask(served, "GET", path, token=False)
        assert (status, content) == (200, file.content)
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert headers["cross-origin-resource-policy"] == "same-origin"
    policy = ask(served, "GET", "/", token=False)[1]["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert f"ws://{served.host}" in policy


def test_the_description_names_every_route_and_no_other(served: Served) -> None:
    status, _, document = ask(served, "GET", "/openapi.json")
    assert status == 200
    open_to_all = {*PAGE_FILES, "/up", "/openapi.json"}
    for path, methods in document["paths"].items():
        for method in ("get", "put", "post", "delete"):
            found = ask(served, method.upper(), path)[0] if path != "/events" else 200
            if method in methods:
                assert found not in (404, 405), (method, path)
            elif path != "/events":
                assert found == 405, (method, path)
    assert not open_to_all & document["paths"].keys()
    assert len(document["paths"]) == 13


def test_rates_are_bounded(serve: Callable[..., Served]) -> None:
    served = serve(limits=Limits(requests_per_s=0.01, burst=5, wrong_per_s=0.01, wrong_burst=2))
    wrong = [ask(served, "GET", "/state", token=False)[0] for _ in range(3)]
    assert wrong == [401, 401, 429]
    assert [ask(served, "GET", "/state")[0] for _ in range(3)] == [200, 200, 429]


def test_connections_are_bounded(serve: Callable[..., Served]) -> None:
    served = serve(limits=Limits(connections=3))
    host, _, port = served.host.partition(":")
    held = []
    for _ in range(3):
        held.append(socket.create_connection((host, int(port))))
        held[-1].sendall(b"GET / HTTP/1.1\r\n")
    try:
        # Each of them is known to the server once it has said something about it.
        held[0].sendall(b"Host: x\r\n\r\n")
        assert held[0].recv(100)
        with pytest.raises((ConnectionError, http.client.RemoteDisconnected)):
            ask(served, "GET", "/state")
    finally:
        for each in held:
            each.close()


def test_an_owner_that_hangs_does_not_take_the_server_along(serve: Callable[..., Served]) -> None:
    served = serve(limits=Limits(patience_s=0.3))
    served.controller.hold.clear()
    assert ask(served, "GET", "/state")[0] == 408
    assert ask(served, "GET", "/stats")[0] == 200
    answers = {ask(served, "GET", "/state")[0] for _ in range(9)}
    assert answers == {408, 429}
    assert ask(served, "GET", "/", token=False)[0] == 200


def test_a_request_that_never_ends_is_ended(serve: Callable[..., Served]) -> None:
    served = serve(limits=Limits(patience_s=0.3))
    headers = {"Content-Length": "100", "Content-Type": "application/json"}
    host, _, port = served.host.partition(":")
    with socket.create_connection((host, int(port)), timeout=10.0) as connection:
        lines = [f"PUT /slider HTTP/1.1\r\nHost: {served.host}\r\n".encode()]
        for name, value in headers.items():
            lines.append(f"{name}: {value}\r\n".encode())
        lines.append(b"Authorization: " + BEARER["Authorization"] + b"\r\n\r\n{")
        connection.sendall(b"".join(lines))
        assert b" 408 " in connection.recv(4000)


def test_a_taken_port_is_told_with_the_remedy(served: Served, serve: Callable[..., Served]) -> None:
    port = int(served.host.partition(":")[2])
    with pytest.raises(PortError, match="taken") as caught:
        serve(port=port)
    assert "--port" in caught.value.remedy


def test_neither_token_nor_captions_are_logged(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    served.say(final(text="a secret line"))
    ask(served, "GET", "/state?x=1")
    ask(served, "GET", f"/state?token={quote(TOKEN)}")
    assert "secret" not in caplog.text
    assert "token" not in caplog.text
