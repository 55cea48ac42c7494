import fc from "fast-check";
import stringWidth from "string-width";
import { describe, expect, test } from "vitest";
import { press } from "../../src/cli/commands/processes/top/actions.ts";
import { INITIAL, rowsOf, type TopState } from "../../src/cli/commands/processes/top/model.ts";
import { pageOf, picture } from "../../src/cli/commands/processes/top/picture.ts";
import { inColumns } from "../../src/cli/output/text-width.ts";
import { keysOf } from "../../src/cli/terminal/keys.ts";
import { fakeProcess } from "../support/fakes/fake-control.ts";

const processes = [
  { ...fakeProcess("db"), state: "ready" as const, pid: 10, start_time: "2026-11-21T08:00:00.000", restarts: 2 },
  { ...fakeProcess("sim/world"), state: "error" as const, exit: { code: 7, signal: null, reason: null, time: "2026-11-21T08:14:02.123" } },
  { ...fakeProcess("sim/eyes"), state: "started" as const, pid: 9, start_time: "2026-11-21T09:00:00.000" },
  fakeProcess("web"),
];
const state: TopState = {
  ...INITIAL,
  instance: "bench@rt1",
  processes,
  loads: new Map([
    ["db", { cpu_percent: 1.5, memory_rss: 3 * 1024 ** 2 }],
    ["sim/eyes", { cpu_percent: 99.9, memory_rss: 1024 ** 2 }],
  ]),
};
const names = (of: TopState) => rowsOf(of).map(({ name }) => name);
/** After several keys. */
const typing = (keys: string[], from = state): TopState => keys.reduce((now, key) => press(now, key, 5).state, from);
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
const plain = (line: string) => line.replaceAll(/\x1b\[[0-9;]*m/g, "");

describe("rows", () => {
  test.each([
    ["C", ["sim/eyes", "db", "sim/world", "web"]],
    ["M", ["db", "sim/eyes", "sim/world", "web"]],
    ["N", ["db", "sim/eyes", "sim/world", "web"]],
    ["T", ["sim/world", "sim/eyes", "db", "web"]],
    ["P", ["sim/world", "web", "sim/eyes", "db"]],
    ["U", ["sim/world", "web", "sim/eyes", "db"]],
    ["R", ["db", "sim/eyes", "sim/world", "web"]],
  ])("are sorted by %s", (key, order) => {
    expect(names(typing([key]))).toEqual(order);
  });

  test("show failed processes first until a column is selected, and again after f", () => {
    expect(names(state)).toEqual(["sim/world", "sim/eyes", "db", "web"]);
    expect(names(typing(["i"]))).toEqual(["sim/world", "web", "db", "sim/eyes"]);
    expect(names(typing(["N", "f"]))).toEqual(["sim/world", "sim/eyes", "db", "web"]);
    const looping = { ...state, processes: [{ ...fakeProcess("loop"), state: "backoff" as const }, ...processes] };
    expect(names(looping).slice(0, 2)).toEqual(["sim/world", "loop"]);
  });

  test("are reversed, and sorted by the next column", () => {
    expect(names(typing(["N", "i"]))).toEqual(["web", "sim/world", "sim/eyes", "db"]);
    expect(typing(["N", ">"]).sort).toBe("state");
    expect(typing(["N", "<"]).sort).toBe("restarts");
  });

  test("are filtered by name or state during input; keys are text meanwhile", () => {
    const typed = typing(["/", ..."siq"]);
    expect([typed.filter, names(typed)]).toEqual(["siq", []]);
    expect(names(typing(["backspace"], typed))).toEqual(["sim/world", "sim/eyes"]);
    expect(names(typing(["ctrl-u", ..."ERR", "enter", "down"], typed))).toEqual(["sim/world"]);
    expect(typing(["escape"], typed)).toMatchObject({ filter: "", isTyping: false });
  });
});

describe("the selection", () => {
  test("moves by keys and stops at both ends", () => {
    const by = (...keys: string[]) => typing(["N", ...keys]).selected;
    expect([by("down"), by("end"), by("end", "down"), by("end", "home", "up"), by("page-down"), by("j", "j", "k")]).toEqual([
      "sim/eyes",
      "web",
      "web",
      "db",
      "web",
      "sim/eyes",
    ]);
  });

  test("stays on the same process after the rows have changed places", () => {
    expect(press(typing(["N", "down", "C"]), "s", 5).command).toEqual({ kind: "control", verb: "start", name: "sim/eyes" });
  });

  test("is what commands act on; without rows there is none", () => {
    expect(press(typing(["N", "end"]), "r", 5).command).toEqual({ kind: "control", verb: "restart", name: "web" });
    expect(press(typing(["N"]), "enter", 5).command).toEqual({ kind: "attach", name: "db" });
    expect(press({ ...state, processes: [] }, "s", 5).command).toBeUndefined();
    expect(press(state, "q", 5).command).toEqual({ kind: "quit" });
    expect(press(typing(["/"]), "ctrl-c", 5).command).toEqual({ kind: "quit" });
    expect(press(typing(["?"]), "q", 5)).toMatchObject({ state: { isHelpShown: false } });
  });
});

describe("a stop or restart of a running process", () => {
  const needs = (name: string, on: string, pid: number | null) => ({ ...fakeProcess(name), depends_on: [on], stops_with: [on], pid });
  const web = { ...state, processes: [...processes, needs("api", "db", 20), needs("page", "api", 21), needs("idle", "db", null)] };

  test.each([
    [["N", "down", "x"], "Stop db and 2 dependents?", "stop", "db"],
    [["N", "x"], "Stop api and page?", "stop", "api"],
    [["/", ..."page", "enter", "r"], "Restart page?", "restart", "page"],
  ] as const)("%j asks first: %s", (keys, question, verb, name) => {
    const asked = typing([...keys], web);
    expect(plain(picture(asked, { rows: 24, cols: 80 }, 0).lines.at(-1) ?? "")).toContain(`${question} y: yes`);
    expect(press(asked, "y", 5)).toMatchObject({ state: { question: null }, command: { kind: "control", verb, name } });
    for (const key of [verb === "stop" ? "x" : "r", "enter", "n"]) {
      const outcome = press(asked, key, 5);
      expect(outcome.command).toBeUndefined();
      expect(outcome.state).toMatchObject({ question: null, message: { text: expect.stringContaining(`${name} was not`) } });
    }
  });
});

describe("the output of the selected row", () => {
  const shown = (selected: string, text: string | null, from = state) => {
    const output = text === null ? null : { name: selected, text };
    return picture({ ...from, selected, output }, { rows: 24, cols: 80 }, 0).lines.map((line) => plain(line).trimEnd());
  };

  test("is below the list: its last lines, as text", () => {
    const lines = shown("db", `${"old\r\n".repeat(30)}\x1b[31mready\x1b[0m\r\n10%\r20%\r\n`);
    expect(lines.at(-7)).toMatch(/^── output of db ─+$/);
    expect(lines.slice(-3, -1)).toEqual(["ready", "20%"]);
    expect(shown("db", "of another", { ...state, output: null }).slice(-6, -5)).toEqual(["of another"]);
    expect(picture({ ...state, selected: "db", output: { name: "db", text: "x" } }, { rows: 15, cols: 80 }, 0).lines.join()).not.toContain(
      "output of",
    );
  });

  test.each([
    ["web", "No output: not started yet."],
    ["sim/world", "No output: exit code 7."],
    ["db", "No output yet."],
  ])("of %s is empty, and says why", (name, reason) => expect(shown(name, "")).toContain(reason));
});

describe("the screen", () => {
  test("has every column in 80 characters, and the reason in a wide terminal", () => {
    const { lines } = picture(state, { rows: 24, cols: 80 }, 0);
    const text = lines.map(plain).join("\n");
    for (const word of [
      "bench@rt1",
      "4 processes",
      "CPU 101.4%",
      "4.0 MiB",
      "1 error",
      "NAME",
      "CPU%↓",
      "RESTARTS",
      "99.9",
      "3.0 MiB",
      "q quit",
    ])
      expect(text).toContain(word);
    const long = { ...state, processes: [...processes, fakeProcess("a/process/with/a/long/name/of/its/own")] };
    const at = (cols: number) => picture(long, { rows: 24, cols }, 0).lines.map(plain).join("\n");
    expect(at(80)).not.toContain("exit code 7");
    expect(at(140)).toContain("exit code 7");
  });

  test("shows important states: restarting, lost or completed", () => {
    const exit = { code: 0, signal: null, reason: null, time: "2026-11-21T08:14:02.123" };
    const up = { state: "started" as const, requested_state: "start" as const, pid: 9, start_time: "2026-11-21T09:00:00.000" };
    const shown = [
      { ...fakeProcess("loop"), ...up, restarting: true, restarts: 97 },
      { ...fakeProcess("far"), ...up, host: "rt1", host_ready: false },
      { ...fakeProcess("job"), requested_state: "start" as const, exit },
      { ...fakeProcess("old"), ...up, needs_restart: true },
      { ...fakeProcess("off"), requested_by: "ada", requested_time: "2026-11-21T08:14:02.123" },
    ];
    const { lines } = picture({ ...state, processes: shown, sort: "state", descending: false }, { rows: 12, cols: 160 }, 0);
    const text = lines.map(plain);
    expect(text[1]?.trim()).toBe("1 restarting  1 lost  1 started  1 completed  1 stopped");
    expect(text.slice(3, 8).map((line) => line.split(/ +/).slice(0, 2))).toEqual([
      ["loop", "restarting"],
      ["far", "lost"],
      ["old", "started"],
      ["job", "completed"],
      ["off", "stopped"],
    ]);
    expect(text[3]).toContain("restarted after a failure, not stable yet");
    expect(text[4]).toContain("started: host rt1 is not connected");
    expect(text[5]).toContain("restart to apply changes");
    expect(text[7]).toMatch(/stopped by ada at 2026-11-2\d \d\d:\d\d/);
  });

  test("fits any terminal, whatever the names of processes, and shows the selected row", () => {
    const name = fc.oneof(fc.string({ minLength: 1, maxLength: 80 }), fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }));
    fc.assert(
      fc.property(
        fc.uniqueArray(name, { maxLength: 60 }),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 250 }),
        fc.nat(70),
        fc.nat(70),
        (all, rows, cols, at, top) => {
          const many = { ...state, processes: all.map((each) => fakeProcess(each)), sort: "name" as const, descending: false };
          const selected = rowsOf(many)[Math.min(at, all.length - 1)]?.name ?? null;
          const { lines } = picture({ ...many, selected }, { rows, cols }, top);
          expect(lines.length).toBeLessThanOrEqual(rows);
          for (const line of lines) expect(stringWidth(plain(line))).toBe(cols);
          if (selected !== null && rows >= pageOf({ rows, cols }) + 4) expect(lines.some((line) => line.includes("\x1b[7m"))).toBe(true);
        },
      ),
    );
  });

  test("contains no control characters, whatever their source", () => {
    expect(inColumns("a\x1b[31mb\nc", 12)).toBe("a\\x1b[31mb\\…");
    expect(inColumns("日本語", 5)).toBe("日本…");
    expect(inColumns("日本語", 4)).toBe("日… ");
    expect(inColumns("abc", 2, true)).toBe("a…");
    expect(inColumns("abc", 0)).toBe("");
  });
});

test("keys are distinguished, also when several come at once", () => {
  expect(keysOf("a\x1b[A\x1bOB\x1b[5~\x1b\r\x7f\x03é日\x1b[200~\x1b[<0;1;1M").map(({ key }) => key)).toEqual([
    "a",
    "up",
    "down",
    "page-up",
    "escape",
    "enter",
    "backspace",
    "ctrl-c",
    "é",
    "日",
  ]);
});
