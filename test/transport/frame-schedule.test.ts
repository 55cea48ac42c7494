import fc from "fast-check";
import { expect, it } from "vitest";
import { FrameSchedule, type FrameWork, MAX_RUNNING, MAX_WAITING } from "../../src/transport/frame-schedule.ts";

const LIMIT = { interruptAfterTimeLimit: 3_000 };
const NAMES = ["a", "a/b", "c", null];
const WORK = fc.record({
  type: fc.constantFrom("one", "two"),
  name: fc.constantFrom(...NAMES),
  effect: fc.constantFrom("read" as const, "change" as const, "command" as const),
});
const overlaps = (one: string | null, other: string | null) =>
  one === null || other === null || one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);

it("every accepted frame runs once; about one object, a change begins after earlier changes have ended, a reading after every earlier frame", async () => {
  const property = fc.asyncProperty(fc.array(WORK, { maxLength: 200 }), fc.infiniteStream(fc.nat()), async (frames, random) => {
    const schedule = new FrameSchedule();
    const begun: number[] = [];
    const ended = new Set<number>();
    const ends = new Map<number, () => void>();
    const running = { one: 0, two: 0 };
    const problems: string[] = [];
    const accepted: number[] = [];
    const begin = (index: number) => {
      const { type, name, effect } = frames[index] ?? { type: "one", name: null, effect: "read" };
      running[type as "one" | "two"]++;
      if (running[type as "one" | "two"] > MAX_RUNNING) problems.push("too many run");
      for (const earlier of accepted) {
        const before = frames[earlier];
        if (earlier >= index || before === undefined || !overlaps(before.name, name)) continue;
        if (effect !== "read" && before.effect === "read") continue;
        if (before.effect === "command" ? !begun.includes(earlier) : !ended.has(earlier))
          problems.push(`${index} did not wait for ${earlier}`);
      }
      begun.push(index);
      return new Promise<void>((resolve) =>
        ends.set(index, () => {
          ends.delete(index);
          ended.add(index);
          running[type as "one" | "two"]--;
          resolve();
        }),
      );
    };
    const endOne = async () => {
      const open = [...ends.values()];
      open[(random.next().value ?? 0) % open.length]?.();
      await Promise.resolve();
      await Promise.resolve();
    };
    for (const [index, { type, name, effect }] of frames.entries()) {
      const work: FrameWork = { type, about: { kind: "process", name }, effect, run: () => begin(index) };
      accepted.push(index);
      if (!schedule.submit(work)) accepted.pop();
      if ((random.next().value ?? 0) % 3 === 0) await endOne();
    }
    while (ends.size > 0) await endOne();
    expect(problems).toEqual([]);
    expect([...begun].sort((one, other) => one - other)).toEqual(accepted);
  });
  await fc.assert(property, LIMIT);
});

it("no reading begins while the socket has not taken the answer to an earlier one; changes do", async () => {
  const schedule = new FrameSchedule();
  const log: string[] = [];
  const sent: (() => void)[] = [];
  const submit = (name: string, effect: FrameWork["effect"]) =>
    schedule.submit({
      type: name,
      about: null,
      effect,
      run: (answered) => {
        log.push(name);
        answered();
        return new Promise((resolve) => sent.push(resolve));
      },
    });
  submit("large", "read");
  submit("later", "read");
  submit("stop", "command");
  submit("set", "change");
  expect(log).toEqual(["large", "stop", "set"]);
  sent[0]?.();
  await Promise.resolve();
  expect(log).toEqual(["large", "stop", "set", "later"]);
});

it("a closed schedule begins nothing more", async () => {
  const schedule = new FrameSchedule();
  let begun = 0;
  const ends: (() => void)[] = [];
  const run = () => {
    begun++;
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  for (let index = 0; index < MAX_RUNNING + MAX_WAITING; index++)
    expect(schedule.submit({ type: "list", about: null, effect: "read", run })).toBe(true);
  expect(schedule.submit({ type: "list", about: null, effect: "read", run })).toBe(false);
  schedule.close();
  for (const end of ends) end();
  await Promise.resolve();
  expect(begun).toBe(MAX_RUNNING);
});
