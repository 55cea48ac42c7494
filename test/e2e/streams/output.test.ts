import { readdirSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client } from "../support/client.ts";
import { Instance } from "../support/instance.ts";
import { ECHO, sh } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

const RUNS = 200;
const GROUPS = 10;
const LARGEST = 200_000;

/** From 1 B to 200 kB, evenly on a logarithmic scale, and both ends. */
const sizes = Array.from({ length: RUNS }, (_, i) => Math.round(LARGEST ** (i / (RUNS - 1))));
/** No two stretches of it are alike, so that a lost or doubled block shows. */
const text = Array.from({ length: LARGEST / 10 }, (_, i) => `${String(i).padStart(9, "0")}\n`).join("");
const nameOf = (i: number) => `g${i % GROUPS}/run ${i}`;
/** What the terminal makes of it. */
const shown = (written: string) => written.replaceAll("\n", "\r\n");

describe("every byte of 200 runs that print 1 B to 200 kB and exit", () => {
  let instance: Instance;
  beforeAll(async () => {
    const processes = Object.fromEntries(sizes.map((size, i) => [nameOf(i), { command: ["head", "-c", String(size), "pattern"] }]));
    instance = new Instance({ processes });
    writeFileSync(join(instance.dir, "pattern"), text);
    await instance.mgr("up", "--detach");
  });
  afterAll(() => instance?.[Symbol.asyncDispose]());

  test("reaches a subscriber, before the exit's upsert; the backlog has it as well", async () => {
    const client = await instance.connect();
    await client.command({ type: "subscribe_process_output", patterns: ["*"] });
    for (let group = 0; group < GROUPS; group++) {
      const start = client.here;
      await client.command({ type: "start_group", name: `g${group}` });
      for (let i = group; i < RUNS; i += GROUPS) await client.untilState(nameOf(i), "stopped", start);
    }

    const received = new Map<string, string>();
    const ended = new Set<string>();
    for (const frame of client.frames) {
      if (frame.type === "process_output") {
        const name = String(frame.name);
        expect(ended.has(name), `output of '${name}' after its exit`).toBe(false);
        expect(frame.skipped, `output of '${name}' was skipped`).toBeUndefined();
        received.set(name, (received.get(name) ?? "") + frame.output);
      }
      if (frame.type !== "process_upsert") continue;
      const { name, state, exit } = frame.process as { name: string; state: string; exit: { code: number } | null };
      if (state === "stopped") {
        expect(exit?.code).toBe(0);
        ended.add(name);
      }
    }
    const wrong = sizes.flatMap((size, i) => {
      const expected = shown(text.slice(0, size));
      const got = received.get(nameOf(i)) ?? "";
      return got === expected ? [] : [`${nameOf(i)}: ${got.length} of ${expected.length} characters`];
    });
    expect(wrong).toEqual([]);
    expect(ended.size).toBe(RUNS);

    const last = nameOf(RUNS - 1);
    const { output, truncated, pid } = await client.ask({ type: "get_process_output", name: last, lines: 100_000 });
    expect(output === shown(text), "the backlog is whole").toBe(true);
    expect(truncated).toBe(false);
    expect(pid).toBeGreaterThan(0);
    const tail = await client.ask({ type: "get_process_output", name: last, lines: 2 });
    expect(tail.output).toBe(shown(text.slice(-20)));
  });
});

describe("a child", () => {
  test("sees only its own terminal, and 0 to 2", async () => {
    const names = Array.from({ length: 12 }, (_, i) => `child ${i}`);
    await using instance = await Instance.up({
      processes: Object.fromEntries(names.map((name) => [name, { command: ECHO, autostart: true }])),
    });
    const client = await instance.connect();
    const terminals = new Set<string>();
    for (const name of names) {
      // A process is `started` once it is spawned; its terminal is its own by the time the program itself speaks.
      await eventually(`'${name}' speaks`, async () =>
        String((await client.ask({ type: "get_process_output", name })).output).includes("hello"),
      );
      const { pid } = await client.process(name);
      const fds = readdirSync(`/proc/${pid}/fd`).sort();
      const links = fds.map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
      expect(fds, `open in '${name}': ${links.join(", ")}`).toEqual(["0", "1", "2"]);
      expect(new Set(links).size).toBe(1);
      expect(links[0]).toMatch(/^\/dev\/pts\/\d+$/);
      terminals.add(links[0] ?? "");
    }
    expect(terminals.size, "each has a terminal of its own").toBe(names.length);
  });

  test("gets the newest requested size, also before its first run", async () => {
    await using instance = await Instance.up({
      processes: { sized: { command: sh("stty size; while read line; do stty size; done"), terminal: { rows: 30, cols: 100 } } },
    });
    const client = await instance.connect();
    await client.command({ type: "subscribe_process_output", patterns: ["sized"] });
    await client.command({ type: "start_process", name: "sized" });
    await client.untilOutput("sized", "30 100\r\n");
    await client.command({ type: "send_winch", name: "sized", rows: 33, cols: 111 });
    await client.command({ type: "send_stdin", name: "sized", text: "\n" });
    await client.untilOutput("sized", "33 111\r\n");
    await client.command({ type: "stop_process", name: "sized" });
    await client.untilState("sized", "stopped");
    await client.command({ type: "send_winch", name: "sized", rows: 44, cols: 122 });
    const start = client.here;
    await client.command({ type: "start_process", name: "sized" });
    await client.untilOutput("sized", "44 122\r\n", start);
  });

  test("receives 300 kB of input whole and in order, in pieces", async () => {
    await using instance = await Instance.up({
      processes: { sink: { command: sh("stty raw -echo; echo go; head -c 300000 | cksum; echo done") } },
    });
    const client = await instance.connect();
    await client.command({ type: "subscribe_process_output", patterns: ["sink"] });
    await client.command({ type: "start_process", name: "sink" });
    await client.untilOutput("sink", "go");
    const typed = text.slice(0, 300_000).padEnd(300_000, "x");
    for (let at = 0; at < typed.length; at += 50_000)
      await client.command({ type: "send_stdin", name: "sink", text: typed.slice(at, at + 50_000) });
    const output = await client.untilOutput("sink", "done");
    expect(output).toContain(`${cksum(typed)} 300000`);
  });
});

describe("a flood of 100 processes that print their names", () => {
  const LINES = 400;
  const names = Array.from({ length: 100 }, (_, i) => `flood/${i % 4}/p${i}`);
  const printed = (name: string) => `${name}\r\n`.repeat(LINES);

  test("reaches every subscriber whole, and each view only its own", async () => {
    await using instance = await Instance.up({
      processes: Object.fromEntries(names.map((name) => [name, { command: ["sh", "-c", 'yes "$0" | head -n "$1"', name, String(LINES)] }])),
    });
    const [everything, some, process, group, log, deaf] = await Promise.all([
      instance.connect(),
      instance.connect(),
      instance.connect("?single_process=flood/1/p1"),
      instance.connect("?single_group=flood/2"),
      instance.connect("?log_only=1"),
      instance.connect(),
    ]);
    await everything.command({ type: "subscribe_process_output", patterns: ["*"] });
    await some.command({ type: "subscribe_process_output", patterns: ["flood/3/*", "flood/3/p3", "flood/0/p[48]", "no such"] });
    await some.command({ type: "unsubscribe_process_output", patterns: ["flood/3/p3"] });
    // Focused views hear their own without asking; asking again doubles nothing.
    await process.command({ type: "subscribe_process_output", patterns: ["*"] });
    await everything.command({ type: "start_group", name: "flood" });
    for (const name of names) await everything.untilState(name, "stopped");
    // What each connection got before this answer is all there was for it.
    for (const client of [everything, some, process, group, deaf]) await client.snapshot();
    await log.ask({ type: "request_logs", limit: 1 });

    const inGroup = (prefix: string) => names.filter((name) => name.startsWith(prefix));
    for (const [client, what] of [
      [everything, names],
      [some, [...inGroup("flood/3/"), "flood/0/p4", "flood/0/p8"]],
      [process, ["flood/1/p1"]],
      [group, inGroup("flood/2/")],
      [log, []],
      [deaf, []],
    ] as const) {
      const heard = new Set(client.frames.filter(({ type }) => type === "process_output").map(({ name }) => name));
      expect([...heard].sort()).toEqual([...what].sort());
      for (const name of what) {
        const skipped = client.frames.flatMap((frame) =>
          frame.type === "process_output" && frame.name === name ? (frame.skipped ?? []) : [],
        );
        const output = client.output(name);
        const expected = { isWhole: true, length: printed(name).length, skipped: [] };
        expect({ isWhole: output === printed(name), length: output.length, skipped }, name).toEqual(expected);
      }
    }
    const upserted = (client: Client) =>
      new Set(client.frames.filter(({ type }) => type === "process_upsert").map((frame) => (frame.process as { name: string }).name));
    expect([...upserted(process)]).toEqual(["flood/1/p1"]);
    expect([...upserted(group)].sort()).toEqual(inGroup("flood/2/").sort());
    expect([...upserted(log)]).toEqual([]);
    expect(new Set(log.frames.map(({ type }) => type))).toEqual(new Set(["log_batch"]));
    expect(process.frames.some(({ type, history }) => type === "log_batch" && history !== true)).toBe(false);

    expect(await process.ask({ type: "start_process", name: "flood/1/p5" })).toMatchObject({ type: "error", code: "out_of_scope" });
    expect(await group.ask({ type: "start_group", name: "flood" })).toMatchObject({ type: "error", code: "out_of_scope" });
    expect(await log.ask({ type: "get_process_output", name: "flood/1/p1" })).toMatchObject({ type: "error", code: "out_of_scope" });
    expect(await log.snapshot()).toMatchObject({ processes: [], process_tree: [], hosts: [], host_list: [] });
    expect(await process.snapshot()).toMatchObject({ process_tree: [{ type: "process", name: "flood/1/p1" }], clients: [] });
    expect((await group.snapshot()).processes).toHaveLength(25);
  });
});

test("a viewer that is too slow delays no other, learns what it missed, and continues at a line start", async () => {
  const line = "0123456789012345678901234567890123456789\r\n";
  await using instance = await Instance.up({
    processes: { flood: { command: ["yes", line.trim()] }, other: { command: ECHO, autostart: true } },
  });
  const [client, viewer] = [await instance.connect(), await instance.connect("?single_process=flood")];
  await client.command({ type: "subscribe_process_output", patterns: ["other"] });
  await client.command({ type: "start_process", name: "flood" });
  await viewer.untilOutput("flood", line);
  viewer.ws.pause();
  const start = viewer.here;
  // The ring of 4 MiB has turned over more than once.
  const offset = async () => Number((await client.ask({ type: "get_process_output", name: "flood", lines: 1 })).offset);
  const before = await offset();
  await eventually("20 MiB have been printed meanwhile", async () => (await offset()) > before + 20 * 1_048_576);
  await client.command({ type: "send_stdin", name: "other", text: "quick\n" });
  await client.untilOutput("other", "you typed quick");
  viewer.ws.resume();
  await viewer.until("what was missed", ({ type, skipped }) => type === "process_output" && skipped !== undefined, start);
  await client.command({ type: "stop_process", name: "flood" });
  await viewer.untilState("flood", "stopped", start);

  const frames = viewer.frames
    .filter(({ type }) => type === "process_output")
    .map(({ output, offset, skipped }) => ({ output: String(output), offset: Number(offset), skipped: Number(skipped ?? 0) }));
  let at = frames[0] ? frames[0].offset - Buffer.byteLength(frames[0].output) : 0;
  for (const { output, offset, skipped } of frames) {
    expect(offset, "every byte was shown or counted as skipped").toBe(at + skipped + Buffer.byteLength(output));
    if (skipped > 0 && output !== "") expect(line.startsWith(output.slice(0, line.length)), JSON.stringify(output.slice(0, 60))).toBe(true);
    at = offset;
  }
});

/** CRC of POSIX cksum. */
function cksum(data: string): number {
  let crc = 0;
  const add = (byte: number) => {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  };
  for (const byte of Buffer.from(data)) add(byte);
  for (let length = Buffer.byteLength(data); length > 0; length >>>= 8) add(length & 0xff);
  return ~crc >>> 0;
}
