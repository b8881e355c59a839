"use strict";
/* Connects to the Captionglass this page came from, and shows its captions. */

(function () {
  const BACKOFF_FIRST_MS = 500;
  const BACKOFF_MOST_MS = 10000;
  const NOT_ADMITTED = 4401;
  const PAINT_ORDER_SINCE = 123; // Chromium's version from which strokes go below letters.

  const CHINESE = navigator.language.startsWith("zh");

  const root = document.documentElement;
  const stage = document.getElementById("stage");
  const hint = document.getElementById("hint");
  const pen = document.createElement("canvas").getContext("2d");

  // What stands behind # counts before what stands behind ?; no token is ever read from the latter.
  const query = new URLSearchParams(location.search);
  const fragment = new URLSearchParams(location.hash.slice(1));
  const asked = (name) => (fragment.has(name) ? fragment.get(name) : query.get(name));
  const number = (name, least, most, otherwise) => {
    const value = Number.parseFloat(asked(name));
    return Number.isFinite(value) ? Math.min(Math.max(value, least), most) : otherwise;
  };
  const colour = (text) => (/^#?[0-9a-fA-F]{6}$/.test(text || "") ? `#${text.replace("#", "")}` : "");

  const token = fragment.get("token") || "";
  const onlyLane = asked("lane") || "";
  const ownSheets = [];
  let look = {};
  let rows = 3;
  let size = 48;
  let session = "";
  let lanes = new Map();
  let wait = BACKOFF_FIRST_MS;
  let silence = 0;
  let socket = null;

  function set(name, value) {
    root.style.setProperty(name, value);
  }

  function setOr(name, value) {
    if (value) {
      set(name, value);
    } else {
      root.style.removeProperty(name);
    }
  }

  function sheet(css) {
    if (!css || !("adoptedStyleSheets" in document)) {
      return;
    }
    const made = new CSSStyleSheet();
    made.replaceSync(css);
    ownSheets.push(made);
  }

  function dress(appearance) {
    look = appearance || look;
    const theme = asked("theme") || look.theme || "dark";
    root.classList.toggle("light", theme === "light");
    const scale = Math.max(Math.min(innerWidth / 1920, innerHeight / 1080 || 1, 4), 0.1);
    size = Math.round(number("size", 8, 400, 48) * (asked("scale") === "0" ? 1 : scale));
    rows = Math.round(number("lines", 1, 12, look.lines || 3));
    set("--size", `${size}px`);
    set("--opacity", String(number("panel", 0, 100, look.opacity === undefined ? 76 : look.opacity) / 100));
    set("--width", `${number("width", 10, 100, 80)}vw`);
    set("--bottom", `${number("margin", 0, 90, 5)}vh`);
    const text = colour(asked("text")) || look.text_colour;
    setOr("--text", text);
    setOr("--unstable", colour(asked("unstable")) || (text ? `${text}a8` : ""));
    setOr("--outline", colour(asked("edge")) || look.outline_colour);
    const family = asked("font") || look.font_family;
    setOr("--family", family ? JSON.stringify(family.replace(/[\\\n\r"]/g, "")) : "");
    stage.classList.toggle("top", asked("place") === "top");
    const outline = asked("outline") || (paintsStrokesBelow() ? "stroke" : "shadow");
    root.classList.toggle("stroke", outline === "stroke");
    root.classList.toggle("bare", outline === "none");
    ownSheets.length = 0;
    sheet(look.css);
    sheet(asked("css"));
    if ("adoptedStyleSheets" in document) {
      document.adoptedStyleSheets = ownSheets.slice();
    }
  }

  function paintsStrokesBelow() {
    const chromium = /Chrom(?:e|ium)\/(\d+)/.exec(navigator.userAgent);
    return chromium ? Number(chromium[1]) >= PAINT_ORDER_SINCE : CSS.supports("paint-order", "stroke");
  }

  function laneOf(name) {
    let lane = lanes.get(name);
    if (!lane) {
      const box = document.createElement("section");
      box.className = "lane silent";
      box.dataset.lane = name;
      const label = document.createElement("div");
      label.className = "name";
      const text = document.createElement("div");
      text.className = "rows";
      box.append(label, text);
      // The order does not depend on who speaks first.
      const after = Array.from(stage.children).find((other) => other.dataset.lane > name);
      stage.insertBefore(box, after || null);
      const measure = (run) => pen.measureText(run).width;
      lane = { name: name, box: box, label: label, text: text, lines: new CaptionLines(measure, 1) };
      lanes.set(name, lane);
      arrange();
    }
    return lane;
  }

  /* Lay all lanes out afresh: the window, the font or the number of lanes has changed. */
  function arrange() {
    for (const lane of lanes.values()) {
      lane.label.hidden = lanes.size < 2;
      lane.label.style.display = lanes.size < 2 ? "none" : "";
      lane.label.textContent = (look.lane_names || {})[lane.name] || lane.name;
      const each = lanes.size < 2 ? rows : Math.max(Math.ceil(rows / 2), 1);
      while (lane.text.children.length > each) {
        lane.text.lastChild.remove();
      }
      while (lane.text.children.length < each) {
        const row = document.createElement("div");
        row.className = "row";
        const stable = document.createElement("span");
        stable.className = "stable";
        const tail = document.createElement("span");
        tail.className = "tail";
        row.append(stable, tail);
        lane.text.append(row);
      }
      const style = getComputedStyle(lane.text);
      pen.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
      lane.lines.rebreak(lane.text.clientWidth);
      draw(lane);
    }
  }

  function draw(lane) {
    const shown = lane.lines.window(lane.text.children.length);
    shown.forEach((line, index) => {
      const row = lane.text.children[index];
      const [stable, tail] = row.children;
      const direction = line && line.rtl ? "rtl" : "ltr";
      if (row.dir !== direction) {
        row.dir = direction;
      }
      const texts = line ? [line.stable, line.tail] : ["", ""];
      // As text: whatever was said, it is never markup.
      if (stable.textContent !== texts[0]) {
        stable.textContent = texts[0];
      }
      if (tail.textContent !== texts[1]) {
        tail.textContent = texts[1];
      }
    });
    lane.box.classList.toggle("silent", shown.every((line) => line === null));
  }

  function caption(event) {
    begin(event.session);
    if (onlyLane && event.lane !== onlyLane) {
      return;
    }
    const lane = laneOf(event.lane);
    if (event.language && lane.box.lang !== event.language) {
      lane.box.lang = event.language;
    }
    if (lane.lines.update(event)) {
      draw(lane);
      wake();
    }
  }

  function begin(newSession) {
    if (newSession !== session) {
      session = newSession;
      for (const lane of lanes.values()) {
        lane.lines.clear();
        draw(lane);
      }
    }
  }

  /* `hide=8` takes the captions away when nothing was said for 8 seconds. */
  function wake() {
    const after = number("hide", 0, 3600, 0);
    clearTimeout(silence);
    stage.classList.remove("silent");
    if (after) {
      silence = setTimeout(() => stage.classList.add("silent"), after * 1000);
    }
  }

  function say(text) {
    hint.textContent = text;
    hint.hidden = !text;
  }

  function take(message) {
    if (message.type === "hello") {
      wait = BACKOFF_FIRST_MS;
      say("");
      dress(message.appearance);
      begin(message.session);
      if (message.source === "both" && !onlyLane) {
        laneOf("mic");
        laneOf("system");
      }
      arrange();
    } else if (message.type === "caption") {
      caption(message);
    } else if (message.type === "appearance") {
      dress(message.appearance);
      arrange();
    } else if (message.type === "session") {
      begin(message.session);
    }
  }

  function newestSegment() {
    let newest = 0;
    for (const lane of lanes.values()) {
      newest = Math.max(newest, ...lane.lines.segments.keys());
    }
    return Math.max(newest - 8, 0);
  }

  function connect() {
    const address = `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/captions`;
    socket = new WebSocket(address, ["captionglass.v1"]);
    socket.onopen = () => {
      const greeting = { token: token };
      if (session) {
        greeting.from = newestSegment();
        greeting.session = session;
      }
      socket.send(JSON.stringify(greeting));
    };
    socket.onmessage = (event) => take(JSON.parse(event.data));
    socket.onclose = (event) => {
      if (event.code === NOT_ADMITTED) {
        say(
          CHINESE
            ? "Captionglass：此地址中的令牌不对，请再次点击“为 OBS 复制”。"
            : 'Captionglass: the token in this address is wrong. Use "Copy for OBS" again.',
        );
        wait = BACKOFF_MOST_MS;
      }
      // A little apart, so that many pages do not come back in the same moment.
      setTimeout(connect, wait * (0.8 + 0.4 * Math.random()));
      wait = Math.min(wait * 2, BACKOFF_MOST_MS);
    };
  }

  addEventListener("resize", () => {
    dress(null);
    arrange();
  });
  dress(null);
  if (document.fonts) {
    // Widths measured before the font is there would be another font's.
    document.fonts.load("500 48px Inter").then(arrange, () => {});
    document.fonts.addEventListener("loadingdone", arrange);
  }
  if (token) {
    connect();
  } else {
    say(
      CHINESE
        ? "Captionglass：此地址中没有令牌，请在 Captionglass 中点击“为 OBS 复制”。"
        : 'Captionglass: the address holds no token. Use "Copy for OBS" in Captionglass.',
    );
  }
})();
