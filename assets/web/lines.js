"use strict";
/* Which words stand on which line.

   Lines are broken greedily from the start of a segment, and closing punctuation may hang into the
   margin. So where a word stands depends on nothing that comes after it: text that grows at its end
   never moves a word that has been placed. The same laws as in the overlay. */

const HANGING = new Set(".,;:!?…%)]}\"'”’»、。，．：；！？）」』】》〉〕％");
const OPENING = new Set("([{“‘«「『【《〈（〔");
const MOST_HANGING = 3;
const KEPT_LINES = 60;
const WIDE =
  /[\u2e80-\u2fdf\u3000-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff00-\uff60\u{20000}-\u{3ffff}]/u;
const MARK = /\p{M}|[\u200d\ufe0e\ufe0f]/u;
const RIGHT_TO_LEFT = /^[^\p{L}]*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/u;

function mayBreak(before, after) {
  if (HANGING.has(after) || OPENING.has(before) || MARK.test(after) || before === "\u200d") {
    return false;
  }
  return WIDE.test(before) || WIDE.test(after);
}

/* Runs between which a line may break: words, and single characters of Chinese and Japanese with
   the punctuation that belongs to them. */
function tokensOf(text) {
  const found = [];
  let token = null;
  let spaced = false;
  let at = 0;
  let before = "";
  for (const character of text) {
    if (/[\s\p{Cc}]/u.test(character)) {
      token = null;
      spaced = true;
    } else {
      if (token === null || mayBreak(before, character)) {
        token = { text: "", start: at, spaced: spaced };
        spaced = false;
        found.push(token);
      }
      token.text += character;
    }
    before = character;
    at += character.length;
  }
  return found;
}

/* The part that must fit. */
function coreOf(text) {
  const characters = Array.from(text);
  let end = characters.length;
  while (end > 1 && characters.length - end < MOST_HANGING && HANGING.has(characters[end - 1])) {
    end -= 1;
  }
  return characters.slice(0, end).join("");
}

/* The newest state of each segment of one lane, broken into lines of {stable, tail, rtl}. */
class CaptionLines {
  constructor(measure, width) {
    this.measure = measure;
    this.width = width;
    this.segments = new Map();
    this.dropped = 0;
    this.bottom = 0;
  }

  clear() {
    this.segments.clear();
    this.dropped = 0;
    this.bottom = 0;
  }

  /* Returns false where nothing to be seen changed. */
  update(event) {
    const known = this.segments.get(event.segment);
    if (known && !event.correction) {
      if (known.event.final || event.revision <= known.event.revision) {
        return false;
      }
    }
    this.segments.set(event.segment, { event: event, lines: this.wrap(event) });
    this.trim();
    // Never falls: when the tail shrinks from two lines to one, what is above does not slide down.
    this.bottom = Math.max(this.bottom, this.dropped + this.count());
    return true;
  }

  rebreak(width) {
    this.width = width;
    for (const segment of this.segments.values()) {
      segment.lines = this.wrap(segment.event);
    }
    this.dropped = 0;
    this.bottom = this.count();
  }

  window(rows) {
    const all = [];
    for (const number of this.numbers()) {
      all.push(...this.segments.get(number).lines);
    }
    const first = this.bottom - rows - this.dropped;
    return Array.from({ length: rows }, (_, row) => all[first + row] || null);
  }

  numbers() {
    return Array.from(this.segments.keys()).sort((one, other) => one - other);
  }

  count() {
    let lines = 0;
    for (const segment of this.segments.values()) {
      lines += segment.lines.length;
    }
    return lines;
  }

  trim() {
    let total = this.count();
    for (const number of this.numbers()) {
      const size = this.segments.get(number).lines.length;
      if (total - size < KEPT_LINES) {
        return;
      }
      total -= size;
      this.dropped += size;
      this.segments.delete(number);
    }
  }

  wrap(event) {
    const text = event.stable + event.unstable;
    const settled = event.stable.length;
    const rtl = RIGHT_TO_LEFT.test(text);
    const lines = [];
    let line = "";
    let start = 0;
    const end = (through) => {
      if (line) {
        const stable = Math.min(Math.max(settled - start, 0), line.length);
        lines.push({ stable: line.slice(0, stable), tail: line.slice(stable), rtl: rtl });
      }
      line = "";
      start = through;
    };
    for (const token of tokensOf(text)) {
      const gap = token.spaced && line ? " " : "";
      if (line && this.measure(line + gap + coreOf(token.text)) > this.width) {
        end(token.start);
      }
      if (!line) {
        start = token.start;
        for (const character of this.pieces(token)) {
          if (line && this.measure(coreOf(line + character)) > this.width) {
            end(start + line.length);
          }
          line += character;
        }
      } else {
        // Whatever blank the text holds there, one is shown; it counts as long as it is.
        const blanks = token.start - (start + line.length);
        line += gap + token.text;
        start += Math.max(blanks - gap.length, 0);
      }
    }
    end(0);
    return lines;
  }

  /* A word wider than a whole line is cut where it must be; else it stays in one piece. */
  pieces(token) {
    if (this.measure(coreOf(token.text)) <= this.width) {
      return [token.text];
    }
    if (typeof Intl !== "undefined" && Intl.Segmenter) {
      const clusters = new Intl.Segmenter(undefined, { granularity: "grapheme" });
      return Array.from(clusters.segment(token.text), (cluster) => cluster.segment);
    }
    return Array.from(token.text);
  }
}
