import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Process } from "../../src/protocol/resources/resources.ts";
import { causesOf, causeText, heldCauses, isCausedBy } from "../../web/src/overview/causes.ts";

const process = (name: string, state: Process["state"], more: Partial<Process> = {}) =>
  ({
    name,
    state,
    requested_state: "start",
    restarting: false,
    exit: null,
    host: "h",
    host_ready: true,
    waiting_for: [],
    ...more,
  }) as Process;
const failed = (name: string, code = 3) =>
  process(name, "error", { exit: { code, signal: null, reason: null, time: "2026-11-21T08:00:00.000" } });
const many = (count: number, make: (name: string) => Process, prefix = "p") =>
  Array.from({ length: count }, (_, index) => make(`${prefix}${index}`));
const received = (processes: Process[]) =>
  causesOf(processes).map((cause) => (cause.isGroup ? causeText(cause, cause.names.length) : cause.key));

describe("causes of failures", () => {
  test("group processes that failed in the same way; fewer than three have a row each", () => {
    const processes = [failed("a", 1), ...many(41, failed), failed("b", 1), process("fine", "ready")];
    expect(received(processes)).toEqual(["41 failed: exit code 3", "a", "b"]);
    expect(received([...processes, failed("c", 1)])).toEqual(["41 failed: exit code 3", "3 failed: exit code 1"]);
  });

  test("put the worst states first, and name missing dependencies", () => {
    const processes = [
      ...many(3, (name) => process(name, "starting")),
      ...many(4, (name) => process(name, "waiting", { waiting_for: ["db"] }), "w"),
      ...many(3, (name) => process(name, "started", { host: "rt1", host_ready: false }), "l"),
      failed("a"),
    ];
    expect(received(processes)).toEqual(["a", "3 lost: host rt1 is not connected", "4 waiting for db", "3 starting"]);
  });

  test("of restarting processes do not change with each phase", () => {
    const phases = [
      { ...failed("a"), state: "backoff" } as Process,
      process("b", "started", { restarting: true }),
      process("c", "starting", { restarting: true }),
    ];
    expect(received(phases)).toEqual(["3 restarting"]);
  });

  test("hold for a process until it is in another state or failed in another way", () => {
    const [cause] = causesOf(many(3, failed));
    if (!cause) throw new Error("there is a cause");
    expect(isCausedBy(failed("p0"), cause)).toBe(true);
    expect(isCausedBy(failed("p0", 4), cause)).toBe(false);
    expect(isCausedBy(process("p0", "started"), cause)).toBe(false);
    expect(isCausedBy(undefined, cause)).toBe(false);
  });
});

describe("rows under the mouse", () => {
  test("stay, and new processes join the row of their cause or come last", () => {
    const before = causesOf([...many(3, failed), failed("single", 7)]);
    const now = causesOf([failed("p9"), failed("p0"), failed("p1"), process("new", "waiting")]);
    expect(heldCauses(before, now).map(({ names }) => names)).toEqual([["p0", "p1", "p2", "p9"], ["single"], ["new"]]);
  });

  test("keep their places, and list every process once, whatever comes", () => {
    const state = fc.constantFrom<Process["state"]>("error", "starting", "waiting", "ready");
    const processes = fc
      .uniqueArray(fc.record({ name: fc.constantFrom(..."abcdefghij"), state }), { selector: ({ name }) => name })
      .map((all) => all.map(({ name, state: own }) => process(name, own)));
    fc.assert(
      fc.property(processes, processes, (first, second) => {
        const before = causesOf(first);
        const now = causesOf(second);
        const held = heldCauses(before, now);
        expect(held.slice(0, before.length).map(({ key }) => key)).toEqual(before.map(({ key }) => key));
        const names = held.flatMap((cause) => cause.names);
        expect(new Set(names).size).toBe(names.length);
        expect(new Set(names)).toEqual(new Set([...before, ...now].flatMap((cause) => cause.names)));
        const keys = held.map(({ key }) => key);
        expect(new Set(keys).size).toBe(keys.length);
      }),
      { interruptAfterTimeLimit: 5_000 },
    );
  });
});
