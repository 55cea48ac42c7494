import { expect, it, vi } from "vitest";
import { createActor, setup } from "xstate";
import { untilState } from "../../src/actors/until-state.ts";

function actor() {
  const machine = setup({
    actions: {
      fail: () => {
        throw new Error("a defect");
      },
    },
  }).createMachine({
    initial: "starting",
    states: {
      starting: { on: { wait: {}, go: "running", end: "ended", fail: { actions: "fail" } } },
      running: {},
      ended: { type: "final" },
    },
  });
  return createActor(machine).start();
}

it("untilState waits until the condition holds, and not longer", async () => {
  const one = actor();
  const isRunning = vi.fn(() => one.getSnapshot().value === "running");
  const met = untilState(one, isRunning);
  one.send({ type: "wait" });
  one.send({ type: "go" });
  expect(await met).toBe(true);
  const asked = isRunning.mock.calls.length;
  one.send({ type: "wait" });
  expect(isRunning).toHaveBeenCalledTimes(asked);
  expect(await untilState(one, isRunning)).toBe(true);
});

it.each([
  ["was stopped", (one: ReturnType<typeof actor>) => void one.stop()],
  ["has ended", (one: ReturnType<typeof actor>) => one.send({ type: "end" })],
  ["has failed, which ends nothing else", (one: ReturnType<typeof actor>) => one.send({ type: "fail" })],
])("untilState resolves with false if the actor %s", async (_how, end) => {
  const one = actor();
  const met = untilState(one, () => one.getSnapshot().value === "running");
  end(one);
  expect(await met).toBe(false);
});
