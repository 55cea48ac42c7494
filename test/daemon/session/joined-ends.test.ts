import { expect, test } from "vitest";
import type { HostEvent } from "../../../src/contract/messages.ts";
import { JoinedEnds } from "../../../src/daemon/session/joined-ends.ts";
import { testClock } from "../../actors/support/clock.ts";

function rig() {
  const clock = testClock();
  const heard: string[] = [];
  const ends = new JoinedEnds<{ id: string; isStopping: boolean }>({
    clock,
    publish: (kind, run) => heard.push(`${run.id} ${kind}`),
  });
  const pass = (run: { id: string; isStopping: boolean }, ...kinds: HostEvent["kind"][]) => {
    for (const kind of kinds) ends.pass(kind, run);
  };
  return { clock, heard, ends, pass };
}

const stopping = { id: "1-1", isStopping: true };
const crashed = { id: "1-2", isStopping: false };
const endOfTurn = () => new Promise((resolve) => setImmediate(resolve));

test("both ends of a stopping run are one event", () => {
  const { clock, heard, pass } = rig();
  pass(stopping, "spawned", "stopping", "exited");
  clock.advance(24);
  expect(heard).toEqual(["1-1 spawned", "1-1 stopping"]);
  pass(stopping, "extinct");
  clock.advance(1_000);
  expect(heard).toEqual(["1-1 spawned", "1-1 stopping", "1-1 exited"]);
});

test("the end of a stopping run's leader does not wait longer than 25 ms for the rest of its tree", () => {
  const { clock, heard, pass } = rig();
  pass(stopping, "exited");
  clock.advance(25);
  expect(heard).toEqual(["1-1 exited"]);
  pass(stopping, "extinct");
  expect(heard).toEqual(["1-1 exited", "1-1 extinct"]);
});

test("both ends of a run that was not stopped are one event if the proof is made in the same turn", async () => {
  const { heard, pass } = rig();
  pass(crashed, "exited");
  await Promise.resolve().then(() => pass(crashed, "extinct"));
  await endOfTurn();
  expect(heard).toEqual(["1-2 exited"]);
});

test("the end of a leader that was not stopped does not wait for a later turn", async () => {
  const { heard, pass } = rig();
  pass(crashed, "exited");
  await endOfTurn();
  expect(heard).toEqual(["1-2 exited"]);
  pass(crashed, "extinct");
  expect(heard).toEqual(["1-2 exited", "1-2 extinct"]);
});

test("other events of the run do not overtake the end of its leader", () => {
  const { heard, pass } = rig();
  pass(stopping, "exited", "changed");
  pass(crashed, "spawned");
  pass(stopping, "extinct");
  expect(heard).toEqual(["1-1 exited", "1-1 changed", "1-2 spawned", "1-1 extinct"]);
});

test("nothing is reported after the end of the host", async () => {
  const { clock, heard, ends, pass } = rig();
  pass(stopping, "exited");
  pass(crashed, "exited");
  ends.close();
  clock.advance(1_000);
  await endOfTurn();
  expect(heard).toEqual([]);
});
