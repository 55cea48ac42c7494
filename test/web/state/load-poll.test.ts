import { describe, expect, test } from "vitest";
import type { ProcessLoad } from "../../../src/protocol/resources/resources.ts";
import { LOADS_EVERY_MS, LoadPoll } from "../../../web/src/state/load-poll.ts";

const LOAD: ProcessLoad = { name: "a", cpu_percent: 1, memory_rss: 2, processes: 3 };

/** A poll whose time passes when the test says so. */
function rig(answer: () => Promise<readonly ProcessLoad[]> = async () => [LOAD]) {
  const asked: (string | undefined)[] = [];
  const received: (readonly ProcessLoad[])[] = [];
  const timers = new Map<object, { run: () => void; milliseconds: number }>();
  const poll = new LoadPoll({
    ask: (name) => {
      asked.push(name);
      return answer();
    },
    onAnswer: (loads) => received.push(loads ?? []),
    setTimeout: (run, milliseconds) => {
      const timer = {};
      timers.set(timer, { run, milliseconds });
      return timer;
    },
    clearTimeout: (timer) => timers.delete(timer as object),
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const pass = async () => {
    await settle();
    for (const [timer, { run, milliseconds }] of [...timers]) {
      expect(milliseconds).toBe(LOADS_EVERY_MS);
      timers.delete(timer);
      run();
    }
    await settle();
  };
  return { poll, asked, received, timers, pass, settle };
}

describe("loads", () => {
  test("are requested every two seconds while a view shows them", async () => {
    const { poll, asked, received, pass } = rig();
    poll.update([undefined], true);
    await pass();
    await pass();
    expect(asked).toHaveLength(3);
    expect(received.at(-1)).toEqual([LOAD]);
  });

  test("are not requested without a view, in a hidden page, and while disconnected", async () => {
    const { poll, asked, timers, pass } = rig();
    poll.update([], true);
    poll.update([undefined], false);
    await pass();
    expect(asked).toEqual([]);
    poll.update([undefined], true);
    await pass();
    poll.update([undefined], false);
    expect(timers.size).toBe(0);
    await pass();
    expect(asked).toHaveLength(2);
  });

  test("are requested again at once when the page is visible again, and never twice at a time", async () => {
    let release = (_: readonly ProcessLoad[]) => {};
    const { poll, asked, pass, settle } = rig(
      () =>
        new Promise((resolve) => {
          release = resolve;
        }),
    );
    poll.update([undefined], true);
    poll.update([undefined], false);
    poll.update([undefined], true);
    expect(asked).toHaveLength(1);
    release([LOAD]);
    await settle();
    poll.update([undefined], false);
    poll.update([undefined], true);
    expect(asked).toHaveLength(2);
    await pass();
    expect(asked).toHaveLength(2);
  });

  test("are requested by name if views show only that process, and of all if they show more", async () => {
    const { poll, asked, settle } = rig();
    poll.update(["a", "a"], true);
    await settle();
    poll.update(["a", undefined], true);
    await settle();
    expect(asked).toEqual(["a", undefined]);
  });

  test("are empty and requested again if the manager could not answer", async () => {
    const { poll, asked, received, pass } = rig(() => Promise.reject(new Error("busy")));
    poll.update([undefined], true);
    await pass();
    expect(received[0]).toEqual([]);
    expect(asked).toHaveLength(2);
  });
});
