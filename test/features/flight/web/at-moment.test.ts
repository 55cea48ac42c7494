import { expect, test } from "vitest";
import { happeningsBefore, terminalBefore, terminalsOf } from "../../../../web/src/features/flight/at-moment.ts";
import type { RecordedMessage } from "../../../../web/src/features/recordings/file/recorded-file.ts";

/** A file with these messages, in the order of time. */
function file(messages: readonly Omit<RecordedMessage, "data" | "host">[]) {
  const names = [...new Set(messages.map(({ topic }) => topic))];
  return {
    topics: names.map((name) => ({ name, messages: 1, isReadable: true })),
    async *messagesBefore(topics: readonly string[], until: number): AsyncGenerator<RecordedMessage> {
      for (const message of messages.toReversed()) {
        if (!topics.includes(message.topic) || message.time > until) continue;
        yield { ...message, host: "rt1", data: typeof message.value === "string" ? terminalBytes(message.value) : new Uint8Array() };
      }
    },
  };
}

const terminalBytes = (text: string) => Buffer.concat([Buffer.alloc(8), Buffer.from(text)]);
const written = (time: number, text: string, name = "arm/controller") => ({ topic: `mgr/terminal/${name}`, time, value: text });
const state = (time: number, change: object) => ({ topic: "mgr/processes", time, value: { name: "arm/controller", pid: 7, ...change } });
const text = (output: Uint8Array) => Buffer.from(output).toString();

test("a terminal is what was written until the moment, in the size that it had then", async () => {
  const recorded = file([
    state(1, { cols: 100, rows: 30 }),
    written(2, "one "),
    written(3, "other", "sim/camera"),
    state(4, { name: "sim/camera", cols: 10, rows: 10 }),
    written(5, "two "),
    state(6, { cols: 120, rows: 40 }),
    written(7, "three"),
  ]);
  expect(terminalsOf(recorded)).toEqual(["arm/controller", "sim/camera"]);
  const early = await terminalBefore(recorded, "arm/controller", 5);
  expect({ ...early, output: text(early.output) }).toEqual({ cols: 100, rows: 30, output: "one two " });
  const late = await terminalBefore(recorded, "arm/controller", 9);
  expect({ ...late, output: text(late.output) }).toEqual({ cols: 120, rows: 40, output: "one two three" });
  expect(await terminalBefore(recorded, "arm/controller", 0)).toEqual({ cols: 80, rows: 24, output: new Uint8Array() });
});

test("of much output, the newest is drawn; a size that cannot be is not used", async () => {
  const recorded = file([
    state(0, { cols: 1e9, rows: 24 }),
    ...Array.from({ length: 10 }, (_, at) => written(at, String(at).repeat(60_000))),
  ]);
  const { cols, output } = await terminalBefore(recorded, "arm/controller", 9);
  expect(cols).toBe(80);
  expect(text(output)).toBe(`${"7".repeat(60_000)}${"8".repeat(60_000)}${"9".repeat(60_000)}`);
});

test("the log and changes of processes, newest first, with what went wrong", async () => {
  const logged = (time: number, level: number, message: string) => ({ topic: "mgr/log", time, value: { level, message, name: "manager" } });
  const recorded = file([
    state(1, {}),
    logged(2, 2, "host 'a' is ready"),
    state(3, { ready: true }),
    logged(4, 3, "slow"),
    { topic: "mgr/log", time: 4.5, value: "damaged" },
    state(5, { ready: true, exit: { code: null, signal: "SIGSEGV", reason: null } }),
    logged(6, 4, "failed"),
    state(7, { exit: { code: 0, signal: null, reason: null } }),
  ]);
  expect(await happeningsBefore(recorded, 6)).toEqual([
    { time: 6, text: "manager: failed", tone: "bad" },
    { time: 5, text: "arm/controller ended: SIGSEGV", tone: "bad" },
    { time: 4, text: "manager: slow", tone: "warn" },
    { time: 3, text: "arm/controller is ready", tone: "" },
    { time: 2, text: "manager: host 'a' is ready", tone: "" },
    { time: 1, text: "arm/controller runs, pid 7", tone: "" },
  ]);
  const begun = file([state(1, { kind: "state", ready: true }), state(2, { kind: "ready", ready: true })]);
  expect(await happeningsBefore(begun, 9)).toEqual([{ time: 2, text: "arm/controller is ready", tone: "" }]);
  expect((await happeningsBefore(recorded, 9))[0]).toEqual({ time: 7, text: "arm/controller ended: exit code 0", tone: "" });
});
