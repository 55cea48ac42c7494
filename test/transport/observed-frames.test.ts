import { expect, it } from "vitest";
import type { CommandObserver, CommandOutcome, ObservedCommand } from "../../src/base/command-observer.ts";
import { joinObservers } from "../../src/base/command-observer.ts";
import { MgrError } from "../../src/base/errors.ts";
import { startRig } from "./rig.ts";

/** An observer whose commands wait until the test lets them begin. */
class Observer implements CommandObserver {
  readonly seen: ObservedCommand[] = [];
  readonly begin: (() => void)[] = [];
  readonly outcomes: CommandOutcome[] = [];
  readonly denied: [string, string][] = [];
  refusal: MgrError | null = null;
  waits = true;

  async before(command: ObservedCommand) {
    this.seen.push(command);
    if (this.waits) await new Promise<void>((resolve) => this.begin.push(resolve));
    if (this.refusal !== null) throw this.refusal;
    return (outcome: CommandOutcome) => void this.outcomes.push(outcome);
  }

  refused({ name }: ObservedCommand, { code }: { code: string }): void {
    this.denied.push([name, code]);
  }
}

async function observed() {
  const observer = new Observer();
  const rig = await startRig(["sim/a", "sim/b"], undefined, { observer });
  return { observer, rig, [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose]() };
}

it("a command takes effect when its observer allows it, and later frames about its object wait for it", async () => {
  await using parts = await observed();
  const { observer, rig } = parts;
  const client = await rig.connect();
  client.send({ type: "start_process", name: "sim/a", request_id: 1 });
  client.send({ type: "request_process_detail", name: "sim/a", request_id: 2 });
  client.send({ type: "request_process_detail", name: "sim/b", request_id: 3 });
  // That of another process is not held back.
  expect(await client.next()).toMatchObject({ request_id: 3 });
  expect(observer.seen).toMatchObject([
    { name: "start_process", target: "sim/a", requestId: 1, args: { name: "sim/a" }, sender: { user: "ada" } },
  ]);
  expect(rig.control.calls.map(([method]) => method)).not.toContain("startProcess");
  observer.begin[0]?.();
  // The ack waits until the requested state is saved.
  const answers = [await client.next(), await client.next()];
  expect(answers.map(({ request_id }) => request_id).sort()).toEqual([1, 2]);
  expect(rig.control.calls.map(([method]) => method)).toEqual(["processDetail", "startProcess", "processDetail"]);
  expect(observer.outcomes).toEqual([{ ok: true }]);
});

it("a command that its observer refuses has no effect, and a refused command has its code as outcome", async () => {
  await using parts = await observed();
  const { observer, rig } = parts;
  observer.waits = false;
  const client = await rig.connect();
  expect(await client.ask({ type: "stop_process", name: "unknown" })).toMatchObject({ code: "not_found" });
  expect(observer.outcomes).toMatchObject([{ ok: false, code: "not_found" }]);
  observer.refusal = new MgrError("conflict", "the disk is full");
  const before = rig.control.calls.length;
  expect(await client.ask({ type: "stop_process", name: "sim/a" })).toMatchObject({
    type: "error",
    code: "conflict",
    message: "the disk is full",
  });
  expect(rig.control.calls).toHaveLength(before);
});

it("frames that change nothing are not observed, and those that are refused at once are", async () => {
  await using parts = await observed();
  const { observer, rig } = parts;
  const focused = await rig.connect("?single_process=sim/a");
  await focused.ask({ type: "get_snapshot", request_id: 1 });
  await focused.ask({ type: "stop_process", name: "sim/b", request_id: 2 });
  expect(observer.seen).toEqual([]);
  expect(observer.denied).toEqual([["stop_process", "out_of_scope"]]);
});

it("of several observers each sees a command, and if one refuses it the others see that it has ended", async () => {
  const [one, other] = [new Observer(), new Observer()];
  one.waits = false;
  other.waits = false;
  other.refusal = new MgrError("conflict", "no");
  const joined = joinObservers([one, other]);
  const command = { name: "x" } as ObservedCommand;
  await expect(Promise.resolve(joined?.before(command))).rejects.toThrow("no");
  expect(one.outcomes).toMatchObject([{ ok: false, code: "conflict" }]);
  expect(joinObservers([])).toBeNull();
});

it("a command that was received takes effect although its client closes the connection while the observer decides", async () => {
  await using parts = await observed();
  const { observer, rig } = parts;
  const client = await rig.connect();
  client.send({ type: "start_process", name: "sim/a" });
  client.send({ type: "stop_process", name: "sim/a" });
  await expect.poll(() => observer.begin.length).toBe(2);
  client.ws.terminate();
  await client.closed;
  for (const begin of observer.begin) begin();
  await expect.poll(() => rig.control.calls.map(([method]) => method)).toEqual(["startProcess", "stopProcess"]);
});

it("a client may give a command to each of a thousand processes at once, and more than that are refused until some have begun", async () => {
  await using parts = await observed();
  const { observer, rig } = parts;
  const client = await rig.connect();
  const count = 1_030;
  for (let index = 0; index < count; index++)
    client.send({ type: "start_process", name: index % 2 === 0 ? "sim/a" : "sim/b", request_id: index });
  const refused: unknown[] = [];
  for (let index = 1_024; index < count; index++) refused.push(await client.nextOf("error"));
  expect(refused).toMatchObject(Array.from({ length: 6 }, (_, index) => ({ code: "busy", request_id: 1_024 + index })));
  expect(observer.denied).toHaveLength(6);
  observer.waits = false;
  for (const begin of observer.begin) begin();
  for (let index = 0; index < 1_024; index++) await client.nextOf("ack");
  expect(rig.control.calls.filter(([method]) => method === "startProcess")).toHaveLength(1_024);
});
