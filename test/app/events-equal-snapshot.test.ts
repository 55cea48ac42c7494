import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import type { Process } from "../../src/protocol/resources/resources.ts";
import { NO_INTERRUPT_MS, timedRuns } from "../support/timed-runs.ts";
import { BY } from "./support/engines.ts";
import { FollowedEngine } from "./support/followed-engine.ts";

/** A longer run: `MGR_MODEL_SECONDS=600 npx vitest run --project unit test/app/events-equal-snapshot.test.ts`. */
const MILLISECONDS = 1_000 * Number(process.env.MGR_MODEL_SECONDS ?? 3);
const VERBS = ["start", "stop", "restart"] as const;
const SERVER = "g/server";

class Step {
  readonly label: string;
  readonly act: (followed: FollowedEngine) => unknown;

  constructor(label: string, act: (followed: FollowedEngine) => unknown) {
    this.label = label;
    this.act = act;
  }

  [fc.toStringMethod](): string {
    return this.label;
  }
}

/** What is refused changes nothing. */
const ask = async (work: () => unknown) => {
  try {
    await work();
  } catch {
    // The process is retiring, or its host is away.
  }
};
async function endLeader(followed: FollowedEngine, name: string): Promise<void> {
  followed.host.endLeader(name, { code: 0, signal: null });
  await followed.outputTimedOut();
}

async function failToGreet(followed: FollowedEngine): Promise<void> {
  const { host } = followed;
  const answer = host.auto;
  host.auto = (name, request) => (name === "hello" ? new Error("not now") : answer(name, request));
  followed.clock.advance(7_000);
  await followed.settle();
  host.beatNow();
  await followed.settle();
  host.auto = answer;
}

const startThenStop = (at: number, pause: number) =>
  new Step(`start, then stop ${at}`, async (followed) => {
    const name = followed.name(at);
    void ask(() => followed.engine.control.commands.process("start", name, BY));
    for (let turn = 0; turn < pause; turn++) await Promise.resolve();
    void ask(() => followed.engine.control.commands.process("stop", name, BY));
  });
const one = (label: string, act: (followed: FollowedEngine) => unknown) => fc.constant(new Step(label, act));
const on = (label: string, act: (followed: FollowedEngine, name: string) => unknown) =>
  fc.nat({ max: 5 }).map((at) => new Step(`${label} ${at}`, (followed) => act(followed, followed.name(at))));

const step: fc.Arbitrary<Step> = fc.oneof(
  ...VERBS.map((verb) => on(verb, (followed, name) => void ask(() => followed.engine.control.commands.process(verb, name, BY)))),
  ...VERBS.map((verb) => one(`${verb} group`, (followed) => void ask(() => followed.engine.control.commands.group(verb, "g", BY)))),
  fc.tuple(fc.nat({ max: 5 }), fc.nat({ max: 30 })).map(([at, pause]) => startThenStop(at, pause)),
  on("ready", (followed, name) => followed.host.becomeReady(name)),
  on("ends well", (followed, name) => followed.host.end(name, { code: 0, signal: null })),
  on("fails", (followed, name) => followed.host.end(name, { code: 1, signal: null })),
  on("its leader ends", endLeader),
  one("the next spawn fails", (followed) => {
    followed.host.failNextSpawn = "no such program";
  }),
  one("spawns get no answer", (followed) => followed.holdSpawns()),
  one("spawns are answered", (followed) => followed.answerSpawns()),
  one("time passes", (followed) => {
    followed.host.beatNow();
    followed.clock.advance(1_000);
  }),
  one("the host is silent", (followed) => followed.clock.advance(7_000)),
  one("the host is back", (followed) => followed.host.beatNow()),
  one("its daemon dies", (followed) => followed.engine.daemonExited()),
  one("the host does not answer its greeting", failToGreet),
  on("override", (followed, name) => void ask(() => followed.engine.control.settings.overrideCommand(name, "default", "run x", BY))),
  fc.nat({ max: 2 }).map((next) => new Step(`reload ${next}`, (followed) => followed.reload(next))),
);

const open: FollowedEngine[] = [];
afterEach(() => {
  for (const followed of open.splice(0)) followed.close();
});

async function begin(): Promise<FollowedEngine> {
  const followed = new FollowedEngine();
  open.push(followed);
  await followed.begin();
  await followed.check("the beginning");
  return followed;
}

describe("changes that were in no event, only in the next snapshot", () => {
  const lastOf = (followed: FollowedEngine): Partial<Process> => followed.full.state().processes.find(({ name }) => name === SERVER) ?? {};

  test("pid and start_time of a run whose stop is requested while the host starts it", async () => {
    const followed = await begin();
    const { control } = followed.engine;
    followed.host.onSpawn = () => control.commands.process("stop", SERVER, BY);
    const before = followed.full.frames.length;
    control.commands.process("start", SERVER, BY);
    await followed.settle();
    const received = followed.full.frames.slice(before).flatMap((frame) => (frame.type === "process_upsert" ? [frame.process] : []));
    expect(received.map(({ state }) => state)).toContain("stopping");
    expect(received.find(({ state }) => state === "stopping")).toMatchObject({ pid: null, start_time: null });
    expect(received.at(-1)).toMatchObject({ state: "stopping", pid: expect.any(Number), start_time: expect.any(String) });
    await followed.check("the stop");
  });

  test("a stop at any moment of a start", async () => {
    const followed = await begin();
    const { control } = followed.engine;
    // Microtasks stand for milliseconds: each lets the start get one step further.
    for (let turns = 0; turns <= 60; turns++) {
      control.commands.process("start", SERVER, BY);
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      control.commands.process("stop", SERVER, BY);
      await followed.settle();
      await followed.check(`a stop after ${turns} turns`);
      followed.host.end(SERVER, { code: 0, signal: null });
      await followed.outputTimedOut();
      expect(lastOf(followed)).toMatchObject({ state: "stopped" });
      await followed.check(`an end after ${turns} turns`);
    }
  });

  test("pid, stop_time and exit when the leader ends while the rest of its tree is being stopped", async () => {
    const followed = await begin();
    const { control } = followed.engine;
    control.commands.process("start", SERVER, BY);
    await followed.settle();
    control.commands.process("stop", SERVER, BY);
    await followed.settle();
    expect(lastOf(followed)).toMatchObject({ state: "stopping", exit: null });
    await endLeader(followed, SERVER);
    expect(lastOf(followed)).toMatchObject({ state: "stopping", pid: null, stop_time: expect.any(String), exit: { code: 0 } });
    await followed.check("the leader's end");
  });

  test("the state of a host that did not answer its greeting", async () => {
    const followed = await begin();
    const { full } = followed;
    const before = full.frames.length;
    await failToGreet(followed);
    const received = full.frames.slice(before).flatMap((frame) => (frame.type === "host_upsert" ? [frame.host] : []));
    expect(received.map(({ state }) => state)).toEqual(["lost", "greeting", "lost"]);
    // A greeting without an answer tells nothing new of its processes.
    expect(received[0]?.lost_time).toEqual(expect.any(String));
    expect(new Set(received.map(({ lost_time }) => lost_time)).size).toBe(1);
    await followed.check("the greeting");
  });
});

test("after any sequence of commands and ends, the events of a connection equal its snapshot, in every view", {
  timeout: MILLISECONDS + 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 30 }),
      timedRuns(MILLISECONDS, async (steps) => {
        const followed = await begin();
        expect(followed.followers.length).toBeGreaterThan(0);
        for (const { act, label } of steps) {
          await act(followed);
          await followed.settle();
          await followed.check(label);
        }
        followed.close();
        open.pop();
      }),
    ),
    { numRuns: MILLISECONDS, interruptAfterTimeLimit: NO_INTERRUPT_MS },
  );
});
