import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { OutputJoin } from "../../../src/client/output-join.ts";
import type { Client, Frame } from "../support/client.ts";
import { Instance } from "../support/instance.ts";
import { ECHO, sh } from "../support/shell.ts";
import { eventually } from "../support/wait.ts";

const MEBIBYTE = 1_048_576;
/** Resident memory of a process, bytes. */
const memory = (pid: number) => Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1_024;
const descriptors = (pid: number) => readdirSync(`/proc/${pid}/fd`).length;
const pidsOf = (instance: Instance) => ({ manager: instance.pidOf("manager") ?? 0, daemon: instance.pidOf("daemon") ?? 0 });

/** Backlog and live output of `name` as a client joins them (docs/protocol.md). */
async function joined(client: Client, name: string, lines = 100_000): Promise<() => string> {
  const join = new OutputJoin();
  const from = client.here;
  await client.command({ type: "subscribe_process_output", patterns: [name] });
  const answer = await client.ask({ type: "get_process_output", name, lines });
  type Piece = Parameters<OutputJoin["live"]>[0];
  let text = join.backlog(answer as unknown as Piece);
  let read = from;
  return () => {
    for (; read < client.here; read++) {
      const frame = client.frames[read] as Frame;
      if (frame.type === "process_output" && frame.name === name) text += join.live(frame as unknown as Piece);
    }
    return text;
  };
}

describe("a slow, a never-reading and a fast subscriber of a process that floods", () => {
  const BYTES = 48 * MEBIBYTE;

  test("do not delay it; the fast one gets every byte, others are answered meanwhile, and the memory of the manager stays small", async () => {
    await using instance = await Instance.up({
      processes: {
        flood: { command: sh(`yes ${"x".repeat(98)} | head -c ${BYTES}`), terminal: { backlog: "64MiB" } },
        other: { command: ECHO },
      },
    });
    const { manager } = pidsOf(instance);
    const [asking, fast, slow, never] = [
      await instance.connect(),
      await instance.connect(),
      await instance.connect(),
      await instance.connect(),
    ];
    for (const client of [fast, slow, never]) await client.command({ type: "subscribe_process_output", patterns: ["flood"] });
    // Frames are counted, not kept.
    const seen = { bytes: 0, skipped: 0 };
    let bytes = 0;
    fast.ws.removeAllListeners("message");
    fast.ws.on("message", (data) => {
      const frame = JSON.parse(String(data)) as { type: string; output?: string; skipped?: number };
      if (frame.type !== "process_output") return;
      seen.bytes += frame.output?.length ?? 0;
      seen.skipped += frame.skipped ?? 0;
    });
    slow.ws.removeAllListeners("message");
    slow.ws.on("message", (data) => {
      bytes += String(data).length;
    });
    slow.ws.pause();
    never.ws.pause();
    const before = memory(manager);
    let most = before;
    let answers = 0;
    let isOver = false;
    const start = asking.here;
    await asking.command({ type: "start_process", name: "flood" });
    const ended = asking.untilState("flood", "stopped", start).finally(() => {
      isOver = true;
    });
    // Awaited below.
    ended.catch(() => {});
    // Each second of the flood has many answers in it: none waits for the flood's end.
    while (!isOver) {
      await asking.command({ type: "send_winch", name: "other", rows: 24, cols: 80 });
      await asking.ask({ type: "get_process_output", name: "other", lines: 1 });
      answers++;
      most = Math.max(most, memory(manager));
      if (answers % 20 === 0) {
        slow.ws.resume();
        setImmediate(() => slow.ws.pause());
      }
    }
    expect((await ended).exit).toMatchObject({ code: 0 });
    // Line ends become CR LF.
    const written = BYTES + Math.floor(BYTES / 99);
    await eventually("the fast one has it all", () => seen.bytes + seen.skipped >= written);
    expect(seen).toEqual({ bytes: written, skipped: 0 });
    expect(answers, "answers while 48 MiB went by").toBeGreaterThan(20);
    expect(bytes).toBeGreaterThan(0);
    expect((most - before) / MEBIBYTE, "MiB that the manager grew").toBeLessThan(64);
  });
});

test("after 1,000 connections that subscribe and close, descriptors and memory of manager and daemon are where they were", {
  timeout: 480_000,
}, async () => {
  const ROUNDS = 20;
  const AT_ONCE = 50;
  /** What is opened once, however late, is no leak: connections that leave something would leave hundreds. */
  const LATER = 4;
  await using instance = await Instance.up({
    processes: {
      talks: { command: ["perl", "-e", '$| = 1; while (1) { print "talk\\n"; select(undef, undef, undef, 0.002) }'], autostart: true },
    },
  });
  const pids = pidsOf(instance);
  const watching = await instance.connect();
  const round = async () => {
    await Promise.all(
      Array.from({ length: AT_ONCE }, async (_, i) => {
        const client = await instance.connect(i % 3 === 0 ? "?single_process=talks" : "");
        await client.command({ type: "subscribe_process_output", patterns: ["*", "t*", "talks"] });
        await client.untilOutput("talks", "talk");
        // As browsers go, and as those go whose machine has lost its power.
        if (i % 2 === 0) client.ws.close();
        else client.ws.terminate();
        await client.closed;
        client.frames.length = 0;
      }),
    );
  };
  const at = () => ({ manager: descriptors(pids.manager), daemon: descriptors(pids.daemon) });
  // A process that runs has its terminal open: what is counted before it does would be two too few.
  await watching.command({ type: "subscribe_process_output", patterns: ["talks"] });
  await watching.untilOutput("talks", "talk");
  await watching.command({ type: "unsubscribe_process_output", patterns: ["talks"] });
  // The same of what its host keeps of it and of the machine.
  await eventually("load history is written", () => readdirSync(`${instance.stateDir}/load-history`).length === 2);
  const open = at();
  // What is made once (caches, sessions, compiled code) is made by then.
  for (let i = 0; i < 4; i++) await round();
  const before = { manager: memory(pids.manager), daemon: memory(pids.daemon) };
  for (let i = 0; i < ROUNDS; i++) await round();
  const isOpen = () => at().manager <= open.manager + LATER && at().daemon <= open.daemon + LATER;
  await eventually("descriptors are where they were", isOpen).catch((error: Error) => {
    throw new Error(`${error.message}: ${JSON.stringify(open)} became ${JSON.stringify(at())}`);
  });
  const grown = (who: "manager" | "daemon") => (memory(pids[who]) - before[who]) / MEBIBYTE;
  const isBack = () => grown("manager") < 32 && grown("daemon") < 16;
  // Garbage goes with a later collection, or when there is little to do, a leak does not.
  for (let more = 0; more < 10 && !isBack(); more++) await round();
  await eventually("memory is where it was", isBack).catch(() => {});
  expect(grown("manager"), "MiB, manager").toBeLessThan(32);
  expect(grown("daemon"), "MiB, daemon").toBeLessThan(16);
  expect((await watching.process("talks")).state).toBe("started");
});

describe("a late viewer", () => {
  test("in the middle of a character receives it whole, alone and beside others", async () => {
    await using instance = await Instance.up({
      processes: {
        halves: {
          command: sh(
            "stty raw -echo; printf up; while :; do head -c 1 >/dev/null; printf 'a\\342'; head -c 1 >/dev/null; printf '\\202\\254b'; done",
          ),
          autostart: true,
        },
      },
    });
    const script = await instance.connect();
    const said = async () => (await script.ask({ type: "get_process_output", name: "halves" })).output;
    await eventually("its terminal echoes nothing any more", async () => (await said()) === "up");
    const key = () => script.command({ type: "send_stdin", name: "halves", text: "x" });
    const length = async () => Number((await script.ask({ type: "get_process_output", name: "halves" })).offset);
    const texts: (() => string)[] = [];
    for (let viewers = 0; viewers < 3; viewers++) {
      const start = await length();
      await key();
      await eventually("half of it is there", async () => (await length()) === start + 1);
      texts.push(await joined(await instance.connect(), "halves"));
      await key();
      const whole = `up${"a€b".repeat(viewers + 1)}`;
      await eventually("all of them see it", () => texts.every((text) => text() === whole)).catch((error: Error) => {
        throw new Error(`${error.message}: ${JSON.stringify(texts.map((text) => text()))} instead of ${whole}`);
      });
    }
  });

  test("joins 100,000 lines of backlog and live output by their offsets, without loss or repetition", async () => {
    const LINES = 150_000;
    await using instance = await Instance.up({
      processes: { count: { command: ["seq", "1", String(LINES)], terminal: { backlog: "8MiB" } } },
    });
    const script = await instance.connect();
    await script.command({ type: "start_process", name: "count" });
    const late: (() => string)[] = [];
    for (let viewers = 0; viewers < 4; viewers++) late.push(await joined(await instance.connect(), "count"));
    await script.untilState("count", "stopped");
    const all = Array.from({ length: LINES }, (_, i) => `${i + 1}\r\n`).join("");
    for (const text of late) {
      await eventually("it has come to the end", () => text().endsWith(`${LINES}\r\n`));
      // Its backlog began where 100,000 lines before that moment began.
      expect(all.endsWith(text()), "an unbroken end of the whole").toBe(true);
    }
    const { output, truncated } = await script.ask({ type: "get_process_output", name: "count", lines: 100_000 });
    expect(String(output) === all.slice(all.indexOf(`\r\n${LINES - 100_000 + 1}\r\n`) + 2)).toBe(true);
    expect(truncated).toBe(false);
  });

  test("learns how much is lost after the ring has advanced, also from a restarted manager", async () => {
    await using instance = new Instance({
      processes: {
        count: {
          command: sh("read go; seq 1 400000; read go; seq 400001 400010; read go"),
          terminal: { backlog: "64KiB" },
          autostart: true,
        },
      },
    });
    await instance.mgr("up", "--detach");
    const first = await instance.connect();
    await eventually("it runs", async () => (await first.process("count")).state === "started");
    const reader = await joined(first, "count");
    await first.command({ type: "send_stdin", name: "count", text: "\n" });
    await eventually("it counts", () => reader().includes("\r\n100\r\n"));
    instance.kill("manager");
    await first.closed;
    await instance.mgr("up", "--detach");
    const second = await instance.connect();
    await second.command({ type: "subscribe_process_output", patterns: ["count"] });
    await eventually("it has counted", async () =>
      String((await second.ask({ type: "get_process_output", name: "count" })).output).endsWith("400000\r\n"),
    );
    const { output, truncated, offset } = await second.ask({ type: "get_process_output", name: "count", lines: 100_000 });
    expect(truncated).toBe(true);
    expect(Number(offset)).toBeGreaterThan(Buffer.byteLength(String(output)));
    const lines = String(output).split("\r\n").slice(1, -1).map(Number);
    expect(lines.at(-1)).toBe(400_000);
    expect(lines).toEqual(lines.map((_, i) => (lines[0] ?? 0) + i));
    await second.command({ type: "send_stdin", name: "count", text: "\n" });
    await second.untilOutput("count", "400010\r\n");
    // Every byte of the stream is accounted for in the live frames of this connection, too.
    let at: number | null = null;
    for (const frame of second.frames) {
      if (frame.type !== "process_output") continue;
      const end = Number(frame.offset);
      if (at !== null) expect(end).toBe(at + Number(frame.skipped ?? 0) + Buffer.byteLength(String(frame.output)));
      at = end;
    }
  });
});

test("megabytes of pasted text arrive whole and in order; text that cannot be accepted yet is refused as busy and may be sent again", async () => {
  const BYTES = 3_000_000;
  await using instance = await Instance.up({
    processes: {
      sink: { command: sh(`stty raw -echo; echo go; head -c ${BYTES} | sha256sum; echo done`), autostart: true },
      deaf: { command: sh("stty raw -echo; echo up; exec sleep 1000"), autostart: true },
    },
  });
  const client = await instance.connect();
  for (const [name, text] of [
    ["sink", "go"],
    ["deaf", "up"],
  ] as const)
    await eventually(`${name} is there`, async () =>
      String((await client.ask({ type: "get_process_output", name })).output).includes(text),
    );
  await client.command({ type: "subscribe_process_output", patterns: ["sink"] });
  const { createHash } = await import("node:crypto");
  const hash = createHash("sha256");
  let refused = 0;
  for (let sent = 0; sent < BYTES; ) {
    const text = Array.from({ length: 2_000 }, (_, i) => `${sent + i}`.padStart(15, "-"))
      .join("")
      .slice(0, BYTES - sent);
    const answer = await client.ask({ type: "send_stdin", name: "sink", text });
    if (answer.type === "error") {
      expect(answer.code).toBe("busy");
      refused++;
      continue;
    }
    hash.update(text);
    sent += text.length;
  }
  const output = await client.untilOutput("sink", "done");
  expect(output).toContain(hash.digest("hex"));
  // Of a child that never reads 1 MiB is kept, then nothing more: and it is told.
  let taken = 0;
  for (let answer = await client.ask({ type: "send_stdin", name: "deaf", text: "x".repeat(60_000) }); answer.type === "ack"; taken++)
    answer = await client.ask({ type: "send_stdin", name: "deaf", text: "x".repeat(60_000) });
  expect(taken).toBeGreaterThan(15);
  expect(taken).toBeLessThan(20);
  expect(await client.ask({ type: "send_stdin", name: "deaf", text: "x".repeat(60_000) })).toMatchObject({ type: "error", code: "busy" });
  // Its killer and its successor get nothing of it.
  const { pid } = await client.process("deaf");
  const start = client.here;
  await client.command({ type: "restart_process", name: "deaf" });
  await client.untilState("deaf", "started", start);
  expect((await client.process("deaf")).pid).not.toBe(pid);
  expect(await client.ask({ type: "send_stdin", name: "deaf", text: "x" })).toMatchObject({ type: "ack" });
  expect(refused).toBeGreaterThanOrEqual(0);
});
