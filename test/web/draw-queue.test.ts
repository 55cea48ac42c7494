import headless from "@xterm/headless";
import { afterEach, expect, test } from "vitest";
import { type DrawnRule, DrawQueue } from "../../web/src/terminal/draw-queue.ts";
import type { RunRule } from "../../web/src/terminal/places/run-rules.ts";

const opened: headless.Terminal[] = [];
afterEach(() => {
  for (const terminal of opened.splice(0)) terminal.dispose();
});

function open(cols = 60, rows = 6) {
  const terminal = new headless.Terminal({ cols, rows, allowProposedApi: true });
  opened.push(terminal);
  const rules: DrawnRule<headless.IMarker>[] = [];
  const queue = new DrawQueue(terminal, (rule) => rules.push(rule));
  const lines = () => {
    const { normal } = terminal.buffer;
    const all = Array.from({ length: normal.length }, (_, line) => normal.getLine(line)?.translateToString(true) ?? "");
    while (all.at(-1) === "") all.pop();
    return all;
  };
  return { terminal, queue, rules, lines };
}

const rule = (number: number): RunRule => ({ number, tone: "bad", parts: ["exit code 3", "12 s", "14:02:11"] });
const TEXT = "Run 1: exit code 3 · 12 s · 14:02:11";

test("a rule stands on a line of its own between the output of two runs", async () => {
  const { queue, rules, lines } = open();
  queue.draw(["first\r\nno newline", rule(1), "second\r\n", rule(2)]);
  await queue.drawn();
  expect(lines()).toEqual(["first", "no newline", TEXT, "second", TEXT.replace("1", "2")]);
  expect(rules.map(({ marker, width }) => [marker.line, width])).toEqual([
    [2, TEXT.length],
    [4, TEXT.length],
  ]);
});

test("output that comes while a rule is drawn follows it", async () => {
  const { queue, lines } = open();
  queue.draw(["a\r\n", rule(1)]);
  queue.draw(["b\r\n"]);
  queue.draw(["c\r\n"]);
  await queue.drawn();
  expect(lines()).toEqual(["a", TEXT, "b", "c"]);
  expect(queue.undrawn).toBe(0);
});

test("a rule is drawn below all text, wherever the program has left the cursor and its margins", async () => {
  const { queue, lines } = open();
  queue.draw(["one\r\ntwo\r\nthree\x1b[2;3r\x1b[1;1H\x1b[?25l", rule(1), "next"]);
  await queue.drawn();
  expect(lines()).toEqual(["one", "two", "three", TEXT, "next"]);
});

test("a full-screen program that was killed leaves its last screen above the rule, and the terminal as it was before", async () => {
  const { terminal, queue, lines } = open();
  queue.draw(["started\r\n\x1b[?1049h\x1b[?1003h\x1b[?2004h\x1b[1;1Hstatus bar\x1b[3;4Hpanic: no config", rule(1), "again"]);
  await queue.drawn();
  expect(terminal.buffer.active.type).toBe("normal");
  expect(terminal.modes).toMatchObject({ mouseTrackingMode: "none", bracketedPasteMode: false });
  expect(lines()).toEqual(["started", "status bar", "", "   panic: no config", TEXT, "again"]);
});

test("a full-screen program that begins after a rule is drawn on its own screen, as without rules", async () => {
  const { terminal, queue } = open();
  queue.draw(["old\r\n", rule(1), "\x1b[?1049h\x1b[H\x1b[2Jeditor\x1b[6;1H-- INSERT --"]);
  await queue.drawn();
  expect(terminal.buffer.active.type).toBe("alternate");
  const screen = Array.from({ length: 6 }, (_, row) => terminal.buffer.active.getLine(row)?.translateToString(true));
  expect(screen).toEqual(["editor", "", "", "", "", "-- INSERT --"]);
});

test("in a narrow terminal a rule is shorter, and stays one line", async () => {
  const { queue, lines } = open(30);
  queue.draw([rule(1)]);
  await queue.drawn();
  expect(lines()).toEqual(["Run 1: exit code 3 · 12 s"]);
  const narrow = open(10);
  narrow.queue.draw([rule(1)]);
  await narrow.queue.drawn();
  expect(narrow.lines()).toEqual(["Run 1: ex"]);
});

test("after the terminal is closed nothing more is drawn", async () => {
  const { queue, lines } = open();
  queue.draw(["a", rule(1), "b"]);
  queue.close();
  await new Promise((done) => setImmediate(done));
  expect(lines().join("")).not.toMatch(/b/);
});
