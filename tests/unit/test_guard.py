"""Who may ask, by host, origin and token."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop_app.serve.guard import Bucket, Guard, offered

TOKEN = "s3cret ü"


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8765", "localhost:8765", "LOCALHOST:8765", "[::1]:8765"]
)
def test_this_computer_is_called_by_its_own_names(host: str) -> None:
    assert Guard(TOKEN).host_allowed(host, 8765)


@pytest.mark.parametrize(
    "host",
    [
        "",
        "127.0.0.1",
        "127.0.0.1:80",
        "evil.example:8765",
        "127.0.0.1.evil.example:8765",
        "localhost.evil.example:8765",
        "192.168.1.5:8765",
        "[fe80::1]:8765",
        "::1:8765",
        "[127.0.0.1]:8765",
        "127.0.0.1:8765:8765",
        "user@127.0.0.1:8765",
        "2130706433:8765",
        "0:8765",
        "127.0.0.1:08765",
    ],
)
def test_other_names_are_refused_on_loopback(host: str) -> None:
    assert not Guard(TOKEN).host_allowed(host, 8765)


def test_to_the_network_addresses_and_own_names_are_fine_and_foreign_names_are_not() -> None:
    guard = Guard(TOKEN, ["Desk", "desk.local"], any_address=True)
    for host in ("192.168.1.5:8766", "[2001:db8::5]:8766", "desk:8766", "DESK.local:8766"):
        assert guard.host_allowed(host, 8766), host
    for host in ("evil.example:8766", "desk.evil.example:8766", "192.168.1.5.evil.example:8766"):
        assert not guard.host_allowed(host, 8766), host


def test_only_our_own_page_may_ask() -> None:
    guard = Guard(TOKEN)
    here = {"Host": "127.0.0.1:8765"}
    assert guard.origin_allowed(here, "http")
    assert guard.origin_allowed(here | {"Origin": "http://127.0.0.1:8765"}, "http")
    assert guard.origin_allowed(here | {"Sec-Fetch-Site": "same-origin"}, "http")
    for origin in (
        "null",
        "",
        "file://",
        "http://evil.example",
        "https://127.0.0.1:8765",
        "http://127.0.0.1:8766",
        "http://localhost:8765",
    ):
        assert not guard.origin_allowed(here | {"Origin": origin}, "http"), origin
    for site in ("cross-site", "same-site", "anything"):
        assert not guard.origin_allowed(here | {"Sec-Fetch-Site": site}, "http"), site


def coded(token: str) -> str:
    return base64.urlsafe_b64encode(token.encode()).decode().rstrip("=")


def test_the_token_comes_in_a_header_or_a_subprotocol() -> None:
    guard = Guard(TOKEN)
    assert guard.admitted({"Authorization": f"Bearer {TOKEN}"})
    assert guard.admitted({"Authorization": f"bearer {TOKEN}"})
    protocols = f"captionglass.v1, captionglass.token.{coded(TOKEN)}"
    assert guard.admitted({"Sec-WebSocket-Protocol": protocols})
    for headers in (
        {},
        {"Authorization": TOKEN},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": "Bearer "},
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Cookie": f"token={TOKEN}"},
        {"Sec-WebSocket-Protocol": f"captionglass.token.{coded('other')}"},
        {"Sec-WebSocket-Protocol": "captionglass.token.%%%"},
        {"Sec-WebSocket-Protocol": "captionglass.token._w"},
    ):
        assert not guard.admitted(headers), headers


def test_an_empty_token_is_none() -> None:
    with pytest.raises(ValueError, match="token"):
        Guard("")


@given(st.text(), st.text())
def test_no_header_breaks_it(authorization: str, protocol: str) -> None:
    headers = {"Authorization": authorization, "Sec-WebSocket-Protocol": protocol}
    admitted = Guard(TOKEN).admitted(headers)
    assert admitted == (TOKEN in offered(headers))


@given(st.text(alphabet=st.characters(max_codepoint=0x200)), st.integers(0, 70_000))
def test_no_host_breaks_it(host: str, port: int) -> None:
    if Guard(TOKEN).host_allowed(host, port):
        assert host.endswith(f":{port}")


def test_a_bucket_fills_with_time() -> None:
    clock = [0.0]
    bucket = Bucket(2.0, 3.0, lambda: clock[0])
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
    assert bucket.empty
    clock[0] = 0.5
    assert not bucket.empty
    assert [bucket.take() for _ in range(2)] == [True, False]
    clock[0] = 100.0
    assert [bucket.take() for _ in range(4)] == [True, True, True, False]
