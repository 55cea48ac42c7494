import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client } from "../support/client.ts";
import { Instance } from "../support/instance.ts";
import { ECHO, sh } from "../support/shell.ts";
import { TerminalSession } from "../support/terminal.ts";
import { eventually } from "../support/wait.ts";

let instance: Instance;
let client: Client;
const DOWN = "\x1b[B";
const ENTER = "\r";
const LEAVE = "\x1d";

beforeAll(async () => {
  instance = await Instance.up({
    processes: {
      "sim/busy": { command: sh("while :; do :; done"), autostart: true },
      "tools/echo": { command: ECHO, autostart: true },
      "tools/idle": { command: "sleep 1000" },
      broken: { command: sh("exit 7"), autostart: true },
      ...Object.fromEntries(
        Array.from({ length: 40 }, (_, index) => [`many/p${String(index).padStart(2, "0")}`, { command: "sleep 1000" }]),
      ),
    },
  });
  client = await instance.connect();
});
afterAll(() => instance?.[Symbol.asyncDispose]());

const open = (size = { rows: 24, cols: 80 }) => new TerminalSession(["top", "-c", instance.config], size);
/** The line of a process. */
const lineOf = ({ lines }: TerminalSession, name: string) => lines.find((line) => line.startsWith(name)) ?? "";

describe("mgr top", () => {
  test("shows states, load, memory and restarts in 80 × 24, the busiest first", async () => {
    using terminal = open();
    await terminal.untilShown(/44 processes {2}CPU/);
    expect(terminal.isAlternate).toBe(true);
    await eventually("the failed one is first, then the busiest", () =>
      ["broken", "sim/busy"].every((name, index) => terminal.lines[3 + index]?.startsWith(name)),
    );
    const [, state, cpu, memory] = (lineOf(terminal, "sim/busy").match(/^sim\/busy +(\S+) +([\d.]+) +(\S+ \S+)/) ?? []).slice(0);
    expect(state).toBe("started");
    expect(Number(cpu)).toBeGreaterThan(1);
    expect(memory).toMatch(/^[\d.]+ [KM]iB$/);
    await terminal.untilShown(/1 error/);
    expect(terminal.lines.every((line) => line.length <= 80)).toBe(true);
    terminal.type("q");
    expect(await terminal.ended).toMatchObject({ exitCode: 0 });
    expect(terminal.isAlternate).toBe(false);
  });

  test("follows changes, starts and stops the selected process, and reports refusals", async () => {
    using terminal = open();
    await terminal.untilShown(/CPU%↓/);
    terminal.type("/idle");
    await terminal.untilShown(/Filter: idle█/);
    terminal.type(ENTER);
    await terminal.untilShown(/1 of 44/);
    await terminal.untilShown(/output of tools\/idle[\s\S]*No output: not started yet\./);
    terminal.type("s");
    await terminal.untilShown(/start of tools\/idle was accepted/);
    await eventually("it runs", () => lineOf(terminal, "tools/idle").includes("started"));
    expect((await client.process("tools/idle")).state).toBe("started");
    terminal.type("x");
    await terminal.untilShown(/Stop tools\/idle\? y: yes, any other key: no/);
    terminal.type("x");
    await terminal.untilShown(/tools\/idle was not stopped/);
    terminal.type("xy");
    await eventually("it is stopped", () => lineOf(terminal, "tools/idle").includes("stopped"));
    await client.command({ type: "start_process", name: "tools/idle" });
    await eventually("others' changes are shown", () => lineOf(terminal, "tools/idle").includes("started"));
    terminal.type("\x1b");
    await terminal.untilShown(/\d stopped/);
    terminal.type("\x03");
    expect(await terminal.ended).toMatchObject({ exitCode: 0 });
  });

  test("sorts, scrolls to the selection, and has a page of help", async () => {
    using terminal = open();
    await terminal.untilShown(/CPU%↓/);
    terminal.type("N");
    await terminal.untilShown(/NAME↑/);
    await eventually("the list is drawn anew", () => terminal.lines[3]?.startsWith("broken"));
    terminal.type("\x1b[F");
    await terminal.untilShown(/tools\/idle/);
    terminal.type(`i`);
    await terminal.untilShown(/NAME↓/);
    terminal.type("?");
    await terminal.untilShown(/Press any key to return/);
    terminal.type(" ");
    await terminal.untilShown(/NAME↓/);
  });

  test("attaches to a process and comes back", async () => {
    using terminal = open();
    await terminal.untilShown(/CPU%↓/);
    // What is typed in the same breath is for the process already.
    terminal.type(`/echo${ENTER}${ENTER}early\r`);
    await terminal.untilShown(/hello/);
    await terminal.untilShown(/you typed early/);
    expect(terminal.isAlternate).toBe(false);
    terminal.type("from top\r");
    await terminal.untilShown(/you typed from top/);
    terminal.type(LEAVE);
    await terminal.untilShown(/1 of 44/);
    expect(terminal.isAlternate).toBe(true);
    terminal.type(DOWN);
    terminal.type(ENTER);
    await terminal.untilShown(/you typed from top/);
    terminal.type(`again\r`);
    await terminal.untilShown(/you typed again/);
    expect(terminal.text.match(/you typed again/g)).toHaveLength(1);
    terminal.type(LEAVE);
    await terminal.untilShown(/1 of 44/);
    terminal.type("q");
    expect(await terminal.ended).toMatchObject({ exitCode: 0 });
  });

  test("fills the terminal after each change of its size", async () => {
    using terminal = open();
    await terminal.untilShown(/CPU%↓/);
    terminal.resize(50, 160);
    await eventually("it fills the larger one", () => terminal.lines[49]?.includes("q quit") && terminal.text.includes("exit code 7"));
    expect(terminal.lines.filter((line) => line.includes("many/")).length).toBeGreaterThan(25);
    terminal.resize(10, 40);
    await eventually("it fits the smaller one", () => /^s start/.test(terminal.lines[9] ?? "") && lineOf(terminal, "NAME") !== "");
    terminal.resize(3, 10);
    terminal.resize(24, 80);
    await eventually("it is as before", () => /q quit *$/.test(terminal.lines[23] ?? ""));
  });

  test.each(["SIGTERM", "SIGHUP", "SIGINT"])("gives the terminal back when it gets %s", async (signal) => {
    using terminal = open();
    await terminal.untilShown(/CPU%↓/);
    terminal.pty.kill(signal);
    await terminal.ended;
    await eventually("the screen is the old one", () => !terminal.isAlternate);
  });

  test("is suspended and continues, with the shell's terminal in between", async () => {
    using terminal = new TerminalSession(["--norc", "-i"], { rows: 24, cols: 80 }, "/bin/bash");
    terminal.type(`PS1='prompt> '; '${process.execPath}' bin/mgr.js top -c '${instance.config}'\r`);
    await terminal.untilShown(/CPU%↓/);
    terminal.type("\x1a");
    await terminal.untilShown(/Stopped/);
    expect(terminal.isAlternate).toBe(false);
    terminal.type("echo in $((20 + 22)) between\r");
    await terminal.untilShown(/in 42 between/);
    terminal.type("fg\r");
    await terminal.untilShown(/CPU%↓/);
    expect(terminal.isAlternate).toBe(true);
    terminal.type("q");
    await eventually("the shell is back", () => !terminal.isAlternate);
  });

  test("reports that it needs a terminal", async () => {
    expect(await instance.run("top", "-c", instance.config)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("needs a terminal"),
    });
  });

  test("reports that the connection is lost while the manager is down, and continues with the next one", async () => {
    using terminal = open();
    await terminal.untilShown(/44 processes {2}CPU/);
    terminal.type("/busy\r");
    await terminal.untilShown(/1 of 44/);
    instance.kill("manager");
    await terminal.untilShown(/connection lost, reconnecting/);
    expect(terminal.isAlternate).toBe(true);
    expect(lineOf(terminal, "sim/busy")).toContain("started");
    terminal.type("xy");
    await terminal.untilShown(/not connected to the manager; nothing was sent/);
    await instance.start("up", "-c", instance.config).up();
    await terminal.untilShown(/44 processes {2}CPU/);
    expect(terminal.text).toMatch(/1 of 44/);
    terminal.type("ry");
    await terminal.untilShown(/restart of sim\/busy was accepted/);
    instance.kill("manager");
    await terminal.untilShown(/connection lost, reconnecting/);
    terminal.type("q");
    expect(await terminal.ended).toMatchObject({ exitCode: 0 });
    expect(terminal.isAlternate).toBe(false);
  });
});
