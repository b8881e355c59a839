"""Captions over WebSocket and as server-sent events: order, replay, and readers that misbehave."""

from __future__ import annotations

import asyncio
import base64
import json
import socket
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from typing import Any

import aiohttp
import pytest
from caption_samples import final, partial
from fixtures_serve import FREE, HEADER, TOKEN, Served
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop_app.serve.guard import PROTOCOL
from desktop_app.serve.hub import KEPT_SEGMENTS
from desktop_app.serve.streams import NOT_ADMITTED
from engine.types import Notice

Socket = aiohttp.ClientWebSocketResponse


def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(asyncio.wait_for(coroutine, 30.0))


def with_session(work: Callable[[aiohttp.ClientSession], Awaitable[Any]]) -> Any:
    async def session() -> Any:
        async with aiohttp.ClientSession() as client:
            return await work(client)

    return run(session())


async def reader(client: aiohttp.ClientSession, served: Served, **greeting: Any) -> Socket:
    """A WebSocket that was admitted by its first message."""
    connection = await client.ws_connect(served.address + "/captions", protocols=[PROTOCOL])
    await connection.send_json({"token": TOKEN, **greeting})
    return connection


async def messages(connection: Socket, count: int) -> list[dict[str, Any]]:
    return [await connection.receive_json() for _ in range(count)]


def test_hello_then_captions_as_they_come(served: Served) -> None:
    async def work(client: aiohttp.ClientSession) -> None:
        connection = await reader(client, served)
        hello = await connection.receive_json()
        assert (hello["type"], hello["state"], hello["source"]) == ("hello", "running", "mic")
        assert hello["appearance"]["lane_names"] == {"mic": "You", "system": "Others"}
        served.say(partial(0, 0, "", "你好 <b>"))
        (caption,) = await messages(connection, 1)
        assert caption["session"] == hello["session"]
        assert (caption["stable"], caption["unstable"]) == ("", "你好 <b>")
        served.sink.notice(Notice("engine.behind", "warning", "the engine is behind"))
        served.say(final(0, 5, "你好"))
        both = await messages(connection, 2)
        assert {each["type"] for each in both} == {"notice", "caption"}
        await connection.close()

    with_session(work)


def test_pages_that_are_open_are_told_how_to_look(served: Served) -> None:
    look = served.controller.look

    async def work(client: aiohttp.ClientSession) -> None:
        connection = await reader(client, served)
        (hello,) = await messages(connection, 1)
        served.server.show_look()  # nothing has changed
        served.controller.look = replace(look, theme="light", font_family="Noto Serif", lines=5)
        served.server.show_look()
        (message,) = await messages(connection, 1)
        assert message["type"] == "appearance"
        told = hello["appearance"] | {"theme": "light", "font_family": "Noto Serif", "lines": 5}
        assert message["appearance"] == told
        served.server.show_look()
        served.say(final(0, 0, "and on"))
        assert (await messages(connection, 1))[0]["type"] == "caption"
        await connection.close()

    with_session(work)


def test_a_preset_dresses_pages_that_are_open(served: Served) -> None:
    async def work(client: aiohttp.ClientSession) -> None:
        connection = await reader(client, served)
        await messages(connection, 1)
        headers = {"Authorization": "Bearer " + TOKEN}
        async with client.put(
            served.address + "/preset", json={"preset": "Meeting"}, headers=headers
        ) as answer:
            assert (await answer.json())["preset"] == "Meeting"
        (message,) = await messages(connection, 1)
        assert (message["type"], message["appearance"]["theme"]) == ("appearance", "light")
        await connection.close()

    with_session(work)


def test_a_page_that_is_being_greeted_misses_no_change(served: Served) -> None:
    async def work(client: aiohttp.ClientSession) -> None:
        # What it said last is news for a page that was greeted with what it said before.
        served.controller.hold.clear()
        connection = await reader(client, served)
        await asyncio.sleep(0.2)
        served.server.hub.appearance({"theme": "light"})  # no reader: on this thread it is safe
        served.controller.hold.set()
        hello, news = await messages(connection, 2)
        assert (hello["type"], news["type"]) == ("hello", "appearance")
        assert news["appearance"] == {"theme": "light"}
        await connection.close()

    with_session(work)


def test_replay_from_a_segment_on(served: Served) -> None:
    for segment in range(4):
        served.say(final(segment, 3, f"line {segment}"))

    async def segments(**greeting: Any) -> list[int]:
        async with aiohttp.ClientSession() as client:
            connection = await reader(client, served, **greeting)
            await connection.receive_json()
            served.say(final(9, 0, "the end"))
            found = []
            while not found or found[-1] != 9:
                found.append((await connection.receive_json())["segment"])
            return found

    assert run(segments()) == [9]
    assert run(segments(**{"from": 2})) == [2, 3, 9]
    assert run(segments(**{"from": -5, "session": "another"})) == [0, 1, 2, 3, 9]
    assert run(segments(**{"from": 3, "session": "another"})) == [0, 1, 2, 3, 9]
    assert run(segments(**{"from": 10**30})) == [9]


def test_a_long_replay_goes_no_faster_than_it_is_taken(served: Served) -> None:
    for segment in range(KEPT_SEGMENTS + 20):
        served.say(final(segment, 3, f"{segment} " + "word " * 100))

    async def work(client: aiohttp.ClientSession) -> None:
        connection = await reader(client, served, **{"from": 0})
        await connection.receive_json()
        await asyncio.sleep(0.3)
        served.say(final(5000, 0, "meanwhile"))
        found = []
        while not found or found[-1] != 5000:
            found.append((await connection.receive_json())["segment"])
        # The oldest are forgotten.
        assert found == [*range(found[0], KEPT_SEGMENTS + 20), 5000]
        assert found[0] in (20, 21)

    with_session(work)
    assert served.server.hub.dropped == 0


def test_the_newest_state_alone_is_replayed_and_a_new_session_starts_afresh(
    served: Served,
) -> None:
    served.say(partial(0, 0), partial(0, 1, "hello"), final(0, 2, "hello world"))

    async def work(client: aiohttp.ClientSession) -> None:
        connection = await reader(client, served, **{"from": 0})
        hello, caption = await messages(connection, 2)
        assert caption["revision"] == 2
        served.sink.open(HEADER)
        served.say(partial(0, 0, "", "new"))
        began, caption = await messages(connection, 2)
        assert began["type"] == "session"
        assert began["session"] == caption["session"] != hello["session"]
        await connection.close()
        # It counts in a session that is over.
        again = await reader(client, served, **{"from": 7, "session": hello["session"]})
        assert (await messages(again, 2))[1]["unstable"] == "new"

    with_session(work)


def test_a_correction_replaces_a_final_and_an_older_partial_does_not(served: Served) -> None:
    async def work(client: aiohttp.ClientSession) -> None:
        connection = await reader(client, served)
        await connection.receive_json()
        served.say(
            final(0, 5, "helo"), partial(0, 4), replace(final(0, 6, "hello"), correction=True)
        )
        text = ""
        while text != "hello":
            text = (await connection.receive_json())["stable"]

    with_session(work)


@pytest.mark.parametrize("way", ["header", "subprotocol"])
def test_the_token_may_come_with_the_request(served: Served, way: str) -> None:
    headers, protocols = {}, [PROTOCOL]
    if way == "header":
        headers = {"Authorization": f"Bearer {TOKEN}"}
    else:
        coded = base64.urlsafe_b64encode(TOKEN.encode()).decode().rstrip("=")
        protocols.append(f"captionglass.token.{coded}")
    served.say(final(0, 0, "before"))

    async def work(client: aiohttp.ClientSession) -> None:
        connection = await client.ws_connect(
            served.address + "/captions?from=0", headers=headers, protocols=protocols
        )
        assert connection.protocol == PROTOCOL
        assert (await messages(connection, 2))[1]["stable"] == "before"

    with_session(work)


@pytest.mark.parametrize(
    "first",
    [
        *("", "{", "[]", "7", "null", "{}", "[" * 2000),
        *('{"token": null}', '{"token": "x"}', '{"token": ["x"]}', f'{{"token": "{TOKEN}x"}}'),
    ],
)
def test_a_first_message_without_the_token_ends_it(served: Served, first: str) -> None:
    served.say(final(0, 0, "secret"))

    async def work(client: aiohttp.ClientSession) -> None:
        connection = await client.ws_connect(served.address + "/captions?from=0")
        await connection.send_str(first)
        message = await connection.receive()
        assert message.type == aiohttp.WSMsgType.CLOSE
        assert message.data == NOT_ADMITTED

    with_session(work)


def test_whoever_says_nothing_is_shown_out(serve: Callable[..., Served]) -> None:
    served = serve(limits=replace(FREE, patience_s=0.2))

    async def work(client: aiohttp.ClientSession) -> None:
        connection = await client.ws_connect(served.address + "/captions")
        assert (await connection.receive()).data == NOT_ADMITTED

    with_session(work)


def test_a_reader_that_talks_is_shown_out_and_a_long_message_too(
    serve: Callable[..., Served],
) -> None:
    served = serve(limits=replace(FREE, messages_per_s=0.01, message=1000))

    async def work(client: aiohttp.ClientSession) -> None:
        talker = await reader(client, served)
        await talker.receive_json()
        await talker.send_str("hello")
        await talker.send_str("hello?")
        assert (await talker.receive()).data == 1008
        shouter = await client.ws_connect(served.address + "/captions")
        await shouter.send_str("x" * 2000)
        assert (await shouter.receive()).data == 1009

    with_session(work)


def test_readers_are_counted_and_their_places_are_given_back(serve: Callable[..., Served]) -> None:
    served = serve(limits=replace(FREE, streams=2))

    async def work(client: aiohttp.ClientSession) -> None:
        for _ in range(3):
            two = [await reader(client, served) for _ in range(2)]
            with pytest.raises(aiohttp.WSServerHandshakeError) as caught:
                await reader(client, served)
            assert caught.value.status == 429
            for connection in two:
                await connection.receive_json()
                await connection.close()

    with_session(work)


def stalled(served: Served) -> socket.socket:
    """A reader that is admitted and then reads nothing."""
    host, _, port = served.host.partition(":")
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect((host, int(port)))
    connection.sendall(
        f"GET /captions HTTP/1.1\r\nHost: {served.host}\r\nConnection: Upgrade\r\n"
        "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
        f"Authorization: Bearer {TOKEN}\r\n\r\n".encode()
    )
    return connection


def test_a_slow_reader_is_dropped_and_the_others_miss_nothing(
    serve: Callable[..., Served],
) -> None:
    served = serve(limits=replace(FREE, behind=20_000))
    held = stalled(served)
    long = "word " * 400

    async def work(client: aiohttp.ClientSession) -> int:
        connection = await reader(client, served)
        await connection.receive_json()
        while served.server.hub.readers < 2:
            await asyncio.sleep(0.01)
        number = 0
        while served.server.hub.dropped == 0:
            served.say(final(number, 0, long))
            assert (await connection.receive_json())["segment"] == number
            number += 1
            assert number < 1000
        assert served.server.hub.readers == 1
        return number

    try:
        # What the system itself holds for a connection, and no more than we allow.
        assert with_session(work) * len(long) < 2_000_000
    finally:
        held.close()


def test_events_are_lines_with_ids_to_go_on_from(served: Served) -> None:
    served.say(final(0, 0, "one"), final(1, 0, "two"))
    headers = {"Authorization": f"Bearer {TOKEN}"}

    async def lines(response: aiohttp.ClientResponse, count: int) -> list[tuple[str, Any]]:
        found, event_id = [], ""
        while len(found) < count:
            line = (await response.content.readline()).decode().rstrip("\n")
            if line.startswith("id: "):
                event_id = line.removeprefix("id: ")
            elif line.startswith("data: "):
                found.append((event_id, json.loads(line.removeprefix("data: "))))
        return found

    async def work(client: aiohttp.ClientSession) -> None:
        url = served.address + "/events"
        async with client.get(url, headers=headers, params={"from": "1"}) as response:
            assert response.content_type == "text/event-stream"
            found = await lines(response, 2)
            assert found[0][1]["type"] == "hello"
            assert found[1][1]["stable"] == "two"
            served.say(final(2, 0, "three 三"))
            ((last_id, three),) = await lines(response, 1)
            assert three["stable"] == "three 三"
        headers["Last-Event-ID"] = last_id
        async with client.get(url, headers=headers) as response:
            assert [each["stable"] for _, each in (await lines(response, 2))[1:]] == ["three 三"]
        headers["Last-Event-ID"] = "nonsense-"
        async with client.get(url, headers=headers) as response:
            assert (await lines(response, 1))[0][1]["type"] == "hello"

    with_session(work)


def test_the_end_of_the_server_ends_the_readers(served: Served) -> None:
    async def work(client: aiohttp.ClientSession) -> None:
        connection = await reader(client, served)
        await connection.receive_json()
        await asyncio.to_thread(served.server.stop)
        message = await connection.receive()
        assert message.type in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED)

    with_session(work)
    # The session may outlive the server.
    served.say(final(0, 0, "still talking"))


frames = st.tuples(st.sampled_from(range(16)), st.binary(max_size=200), st.booleans())


@pytest.mark.slow
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(admitted=st.booleans(), sent=st.lists(frames | st.binary(max_size=60), max_size=8))
def test_no_frame_breaks_it(served: Served, admitted: bool, sent: list[Any]) -> None:
    connection = stalled(served)
    connection.settimeout(10.0)
    if not admitted:
        connection.close()
        host, _, port = served.host.partition(":")
        connection = socket.create_connection((host, int(port)), timeout=10.0)
        connection.sendall(
            f"GET /captions HTTP/1.1\r\nHost: {served.host}\r\nConnection: Upgrade\r\n"
            "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode()
        )
    with connection:
        assert connection.recv(12) == b"HTTP/1.1 101"
        try:
            for each in sent:
                if isinstance(each, bytes):
                    connection.sendall(each)
                else:
                    code, content, whole = each
                    size = bytes([0x80 | 126]) + len(content).to_bytes(2, "big")
                    connection.sendall(bytes([0x80 * whole | code]) + size + b"\0" * 4 + content)
            connection.shutdown(socket.SHUT_WR)
            # It lets go of the connection, whatever came over it.
            while connection.recv(4096):
                pass
        except OSError:
            pass  # It had let go before.
    served.say(final(0, 0, "still there"))
    assert served.server.hub.dropped == 0
