"""The page in a real browser: what it shows, and that nobody else gets to it."""

from __future__ import annotations

import http.server
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from caption_samples import final, partial
from fixtures_serve import TOKEN, Served

from desktop_app.serve.controller import Appearance
from desktop_app.serve.page import page_address, write_obs_file

playwright = pytest.importorskip("playwright.sync_api")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/usr/bin/chromium").exists(), reason="no chromium here"),
]

TEXT = "document.getElementById('stage').innerText"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as library:
        browser = library.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1920, "height": 1080})
    page = context.new_page()
    page.set_default_timeout(15_000)
    yield page
    context.close()


def open_page(page: Any, served: Served, options: str = "") -> None:
    page.goto("about:blank")
    listening(page, served, 0)
    page.goto(page_address(served.address, TOKEN) + options)
    page.wait_for_function("document.fonts.check('500 48px Inter')")
    listening(page, served, 1)


def listening(page: Any, served: Served, pages: int) -> None:
    """Wait until so many do: one listens a moment after it is there."""
    until = time.monotonic() + 15.0
    while served.server.hub.readers != pages:
        assert time.monotonic() < until
        page.wait_for_timeout(20)


def shows(page: Any, text: str) -> None:
    page.wait_for_function(f"(text) => {TEXT}.replace(/\\s+/g, ' ').includes(text)", arg=text)


def shot(page: Any) -> Any:
    """The screenshot: uint8, shape (height, width, 4)."""
    import numpy as np
    from PySide6.QtGui import QImage

    image = QImage.fromData(page.screenshot(omit_background=True))
    image = image.convertToFormat(QImage.Format.Format_RGBA8888)
    pixels = np.frombuffer(image.constBits(), np.uint8)
    return pixels.reshape(image.height(), image.bytesPerLine() // 4, 4)[:, : image.width()]


def test_words_on_a_transparent_page(page: Any, served: Served) -> None:
    open_page(page, served, "&panel=0")
    served.say(partial(0, 0, "Stable words", " and a tail"))
    shows(page, "Stable words and a tail")
    assert page.text_content(".row:last-child .stable") == "Stable words"
    assert page.text_content(".row:last-child .tail") == " and a tail"
    pixels = shot(page)
    assert pixels.shape == (1080, 1920, 4)
    assert (pixels[:540, :, 3] == 0).all()
    letters = pixels[pixels[..., 3] == 255]
    assert len(letters) > 5000
    white = (letters[:, :3] == (255, 255, 255)).all(axis=1).sum()
    tail = (letters[:, :3] == (186, 195, 210)).all(axis=1).sum()
    outline = (letters[:, :3] == (8, 9, 12)).all(axis=1).sum()
    assert min(white, tail, outline) > 300, "stable, unstable and outline have their colours"


@pytest.mark.parametrize("outline", ["stroke", "shadow"])
def test_outlined_in_two_ways(page: Any, served: Served, outline: str) -> None:
    open_page(page, served, f"&panel=0&outline={outline}&edge=ff0000")
    served.say(final(0, 0, "Outlined"))
    shows(page, "Outlined")
    pixels = shot(page)
    solid = pixels[pixels[..., 3] == 255][:, :3]
    white = (solid == (255, 255, 255)).all(axis=1).sum()
    red = (solid == (255, 0, 0)).all(axis=1).sum()
    assert red > 1000
    assert white > 1000, "the outline lies below the letters"


def test_markup_stays_text(page: Any, served: Served) -> None:
    open_page(page, served)
    said = "<img src=x onerror=\"document.title='broken'\"><b>bold</b> &amp; <script>1</script>"
    served.say(final(0, 0, said))
    shows(page, "onerror=")
    assert "<b>bold</b>" in page.text_content("#stage")
    assert "&amp;" in page.text_content("#stage")
    assert page.query_selector("#stage img, #stage b, #stage script") is None
    assert page.title() == "Captionglass"


def positions(page: Any) -> dict[str, tuple[float, float]]:
    """Where each word stands, from the left and counted in lines from the top."""
    found: dict[str, tuple[float, float]] = page.evaluate(
        """() => Object.fromEntries(
        Array.from(document.querySelectorAll('.row')).flatMap((row) =>
        Array.from(row.textContent.matchAll(/\\S+/g)).map((match) => {
          const walk = document.createTreeWalker(row, NodeFilter.SHOW_TEXT);
          let at = match.index;
          while (walk.nextNode() && at >= walk.currentNode.length) at -= walk.currentNode.length;
          const range = document.createRange();
          range.setStart(walk.currentNode, at);
          range.setEnd(walk.currentNode, at + 1);
          const box = range.getBoundingClientRect();
          return [match[0].replace(/[.,]+$/, ''), [Math.round(box.left), Math.round(box.top)]];
        })))"""
    )
    return found


def test_words_do_not_move_while_more_is_said(page: Any, served: Served) -> None:
    open_page(page, served, "&lines=4&width=50")
    words = [f"word{number}" for number in range(24)]
    before: dict[str, tuple[float, float]] = {}
    for count in range(1, len(words) + 1):
        stable, tail = " ".join(words[: count - 1]), (" " if count > 1 else "") + words[count - 1]
        dot = "." if count % 3 == 0 else ""
        served.say(partial(0, count, stable, tail + dot))
        shows(page, words[count - 1])
        now = positions(page)
        for word in before.keys() & now.keys():
            assert now[word][0] == before[word][0], f"{word} moved aside"
        heights = {now[word][1] - before[word][1] for word in before.keys() & now.keys()}
        # A line's height is no whole number of pixels.
        assert max(heights, default=0) - min(heights, default=0) <= 1, (
            "lines move all together, when a line is new"
        )
        before = now
    served.say(final(0, 99, " ".join(words) + "."))
    shows(page, "word23.")
    assert positions(page).items() >= {k: v for k, v in before.items() if k != "word23"}.items()


def test_chinese_is_broken_between_characters_and_not_before_a_full_stop(
    page: Any, served: Served
) -> None:
    open_page(page, served, "&lines=4&width=30")
    text = "今天天气很好，我们去公园散步，看见很多人在唱歌跳舞，大家都很高兴，晚上一起吃饭。"
    served.say(replace(final(0, 0, text), language="zh-CN"))
    shows(page, "晚上一起吃饭。")
    rows = [row for row in page.evaluate(f"{TEXT}.split('\\n')") if row]
    assert len(rows) > 2
    assert "".join(rows) == text
    assert all(row[0] not in "，。" for row in rows)
    assert page.get_attribute(".lane", "lang") == "zh-CN"
    lefts = page.evaluate(
        "Array.from(document.querySelectorAll('.stable')).map((s) => s.getBoundingClientRect())"
        ".map((box) => box.right)"
    )
    edge = page.evaluate("document.querySelector('.rows').getBoundingClientRect().right")
    assert max(lefts) <= edge + 48, "only punctuation hangs into the margin"


def test_two_lanes_keep_their_places(page: Any, served: Served) -> None:
    served.controller.source = "both"
    open_page(page, served)
    page.wait_for_selector('.lane[data-lane="system"]', state="attached")
    served.say(replace(final(0, 0, "From the others"), lane="system"))
    shows(page, "From the others")
    place = page.evaluate(
        "document.querySelector('[data-lane=system]').getBoundingClientRect().top"
    )
    served.say(replace(final(1, 0, "And from me"), lane="mic"))
    shows(page, "And from me")
    after = page.evaluate(
        "document.querySelector('[data-lane=system]').getBoundingClientRect().top"
    )
    assert after == place
    assert page.inner_text(".lane[data-lane=mic] .name") == "You"
    open_page(page, served, "&lane=mic")
    served.say(replace(final(2, 0, "Not for you"), lane="system"))
    served.say(replace(final(3, 0, "For me"), lane="mic"))
    shows(page, "For me")
    assert "Not for you" not in page.inner_text("#stage")


def test_settings_address_and_own_css_dress_it(page: Any, served: Served) -> None:
    served.controller.look = Appearance(
        theme="light", lines=2, opacity=50, text_colour="#112233", css=".row { font-style: italic }"
    )
    open_page(page, served, "&size=60&css=.row%7Bletter-spacing%3A5px%7D")
    served.say(final(0, 0, "Dressed"))
    shows(page, "Dressed")
    style = page.evaluate(
        "(({color, fontSize, fontStyle, letterSpacing}) => [color, fontSize, fontStyle,"
        " letterSpacing])(getComputedStyle(document.querySelector('.row')))"
    )
    assert style == ["rgb(17, 34, 51)", "60px", "italic", "5px"]
    assert page.evaluate("document.querySelectorAll('.row').length") == 2
    assert page.evaluate("document.documentElement.classList.contains('light')")


def test_an_open_page_is_dressed_anew_and_keeps_its_words(page: Any, served: Served) -> None:
    open_page(page, served, "&size=60")
    served.say(final(0, 0, "Dressed twice"))
    shows(page, "Dressed twice")
    page.evaluate("window.unchanged = true")
    served.controller.look = Appearance(
        theme="light", font_family="DejaVu Serif", lines=2, opacity=10, text_colour="#112233"
    )
    served.server.show_look()
    page.wait_for_selector("html.light")
    style = page.evaluate(
        "(({color, fontSize, fontFamily}) => [color, fontSize, fontFamily.split(',')[0]])"
        "(getComputedStyle(document.querySelector('.row')))"
    )
    assert style == ["rgb(17, 34, 51)", "60px", '"DejaVu Serif"']
    assert page.evaluate("document.querySelectorAll('.row').length") == 2
    assert page.evaluate("window.unchanged"), "it was not loaded again"
    shows(page, "Dressed twice")
    assert (shot(page)[..., 3] == 26).sum() > 10_000, "the panel is a tenth opaque"


def test_it_comes_back_when_the_server_does(
    page: Any, served: Served, serve: Callable[..., Served]
) -> None:
    open_page(page, served)
    served.say(final(0, 0, "Before"))
    shows(page, "Before")
    port = int(served.host.partition(":")[2])
    served.server.stop()
    page.wait_for_timeout(1200)
    assert "Before" in page.inner_text("#stage"), "nothing flashes away"
    again = serve(port=port)
    again.say(final(0, 0, "After"))
    shows(page, "After")
    assert "Before" not in page.inner_text("#stage"), "another session"


def test_the_file_for_obs_waits_for_captionglass(
    page: Any, serve: Callable[..., Served], tmp_path: Path
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    file = tmp_path / "für OBS" / "captions.html"
    write_obs_file(file, f"http://127.0.0.1:{port}", TOKEN)
    assert file.stat().st_mode & 0o077 == 0
    page.goto(file.as_uri() + "?lines=1")
    page.wait_for_timeout(700)
    served = serve(port=port)
    page.wait_for_url("http://127.0.0.1:*/**")
    listening(page, served, 1)
    served.say(final(0, 0, "At last"))
    shows(page, "At last")
    assert page.evaluate("document.querySelectorAll('.row').length") == 1


def test_a_wrong_token_is_told_on_the_page(page: Any, served: Served) -> None:
    page.goto(f"{served.address}/#token=wrong")
    page.wait_for_selector("#hint:not([hidden])")
    assert "token" in page.inner_text("#hint")
    page.goto("about:blank")
    page.goto(f"{served.address}/?token={'x'}")
    page.wait_for_selector("#hint:not([hidden])")


HOSTILE = """<!DOCTYPE html><title>hostile</title><script>
async function attack(server, token) {
  const found = {};
  const bearer = { Authorization: "Bearer " + token };
  const tried = async (name, work) => {
    try { found[name] = String(await work()); } catch (error) { found[name] = "refused"; }
  };
  await tried("read", async () => (await fetch(server + "/state", { headers: bearer })).text());
  await tried("read simply", async () => (await fetch(server + "/state")).text());
  await tried("read opaque", async () =>
    (await fetch(server + "/state", { mode: "no-cors" })).text());
  await tried("page", async () => (await fetch(server + "/")).text());
  await tried("write", async () =>
    (await fetch(server + "/switch_model?id=fake-zh", { method: "POST", headers: bearer })).status);
  await tried("write simply", async () =>
    (await fetch(server + "/switch_model?id=fake-zh", { method: "POST", mode: "no-cors" })).status);
  await tried("write body", async () => (await fetch(server + "/source", {
    method: "PUT", headers: { ...bearer, "Content-Type": "application/json" },
    body: '{"source": "both"}' })).status);
  await tried("socket", () => new Promise((done, fail) => {
    const socket = new WebSocket(server.replace("http", "ws") + "/captions", ["captionglass.v1",
      "captionglass.token." + btoa(token).replace(/=/g, "")]);
    socket.onopen = () => done("open");
    socket.onerror = fail;
  }));
  await tried("events", () => new Promise((done, fail) => {
    const source = new EventSource(server + "/events");
    source.onopen = () => done("open");
    source.onerror = () => { source.close(); fail(); };
  }));
  await tried("form", () => new Promise((done) => {
    const frame = document.createElement("iframe");
    frame.name = "f";
    document.body.append(frame);
    const form = document.createElement("form");
    form.method = "POST"; form.target = "f"; form.action = server + "/pause";
    form.enctype = "text/plain";
    document.body.append(form);
    frame.onload = () => { try { done(frame.contentDocument.body.innerText || "empty"); }
      catch (error) { done("refused"); } };
    form.submit();
  }));
  await tried("frame", () => new Promise((done) => {
    const frame = document.createElement("iframe");
    frame.src = server + "/#token=" + token;
    frame.onload = () => { try { done(frame.contentDocument.title); }
      catch (error) { done("refused"); } };
    document.body.append(frame);
  }));
  await tried("script", () => new Promise((done, fail) => {
    const script = document.createElement("script");
    script.src = server + "/openapi.json";
    script.onload = () => done("loaded"); script.onerror = fail;
    document.head.append(script);
  }));
  return found;
}
</script><body></body>"""


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """The address of a page that means ill, on another port of this computer."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(HOSTILE.encode())

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, name="elsewhere")
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_another_page_can_neither_connect_nor_read_nor_write(
    page: Any, serve: Callable[..., Served], elsewhere: str
) -> None:
    """Not even one that knows the token."""
    served = serve(token="plain-token")
    served.say(final(0, 0, "a private line"))
    page.goto(elsewhere)
    found = page.evaluate(
        "([server, token]) => attack(server, token)", [served.address, "plain-token"]
    )
    opaque = found.pop("read opaque"), found.pop("write simply")
    assert opaque in (("", "0"), ("refused", "refused"), ("refused", "0"), ("", "refused"))
    assert set(found.values()) == {"refused"}, found
    assert served.controller.calls == []
    assert served.server.hub.readers == 0


def test_a_name_that_was_pointed_here_is_refused(browser: Any, served: Served) -> None:
    """DNS rebinding: the page's own host name now means this computer."""
    port = served.host.partition(":")[2]
    context = browser.new_context()
    page = context.new_page()
    # Chromium takes every name under localhost for this computer, as a rebound name would be.
    response = page.goto(f"http://evil.localhost:{port}/")
    assert response.status == 403
    answer = page.evaluate("fetch('/state').then((response) => response.text())")
    assert re.search(r"called otherwise", answer)
    context.close()
