import { describe, expect, test } from "vitest";
import { createActor } from "xstate";
import type { GroupEmitted, GroupMember } from "../../src/actors/group-machine.ts";
import { groupMachine } from "../../src/actors/group-machine.ts";
import type { ProcessState } from "../../src/protocol/resources.ts";

function group(members: GroupMember[], react: (member: string, command: string) => ProcessState | null = () => null) {
  const told: string[] = [];
  const emitted: GroupEmitted[] = [];
  const live = [...members];
  const actor = createActor(groupMachine, {
    input: {
      name: "sim",
      members: () => live,
      tell: (name, { type, by }) => {
        told.push(`${type} ${name} by ${by}`);
        const next = react(name, type);
        if (next) become(name, next);
      },
    },
  });
  const become = (name: string, state: ProcessState) => {
    const index = live.findIndex((member) => member.name === name);
    live[index] = { name, state };
    actor.send({ type: "member", name, state });
  };
  actor.on("*", (event) => {
    emitted.push(event);
  });
  actor.start();
  return { actor, told, emitted, live, become, state: () => actor.getSnapshot().value };
}

const stopped = (...names: string[]): GroupMember[] => names.map((name) => ({ name, state: "stopped" }));

describe("the statechart of a group", () => {
  test("start goes to every member in order, and lasts until each has settled", () => {
    const { actor, told, state, become, emitted } = group(stopped("a", "b"), () => "starting");
    actor.send({ type: "start", by: "ann" });
    expect(told).toEqual(["start a by ann", "start b by ann"]);
    expect(state()).toBe("starting");
    become("a", "started");
    become("b", "waiting");
    expect(state()).toBe("starting");
    become("b", "error");
    expect(state()).toBe("idle");
    expect(emitted).toEqual([
      { type: "changed", progress: "starting", pending: 2 },
      { type: "changed", progress: null, pending: 0 },
    ]);
  });

  test("stop goes in reverse order", () => {
    const { actor, told, state, become } = group(
      [
        { name: "a", state: "ready" },
        { name: "b", state: "backoff" },
      ],
      (_name, command) => (command === "stop" ? "stopping" : null),
    );
    actor.send({ type: "stop", by: "ann" });
    expect(told).toEqual(["stop b by ann", "stop a by ann"]);
    become("a", "stopped");
    expect(state()).toBe("stopping");
    become("b", "stopped");
    expect(state()).toBe("idle");
  });

  test("the members are those of the turn in which the command was accepted", () => {
    const { actor, told, live, state, become } = group(stopped("a"), () => "starting");
    actor.send({ type: "start", by: "ann" });
    live.push({ name: "late", state: "stopped" });
    actor.send({ type: "member", name: "late", state: "starting" });
    become("a", "started");
    expect(told).toEqual(["start a by ann"]);
    expect(state()).toBe("idle");
  });

  test("a member that is removed keeps nobody waiting", () => {
    const { actor, state } = group(stopped("a"), () => "starting");
    actor.send({ type: "start", by: "ann" });
    actor.send({ type: "member", name: "a", state: null });
    expect(state()).toBe("idle");
  });

  test("a stop during a start takes over", () => {
    const { actor, state, become } = group(stopped("a"), (_name, command) => (command === "start" ? "starting" : "stopping"));
    actor.send({ type: "start", by: "ann" });
    actor.send({ type: "stop", by: "ann" });
    expect(state()).toBe("stopping");
    become("a", "stopped");
    expect(state()).toBe("idle");
  });

  test("restart stops and starts: it lasts through stopping and starting", () => {
    const { actor, told, state, become } = group([{ name: "a", state: "started" }], () => "stopping");
    actor.send({ type: "restart", by: "ann" });
    expect(told).toEqual(["restart a by ann"]);
    become("a", "starting");
    expect(state()).toBe("starting");
    become("a", "started");
    expect(state()).toBe("idle");
  });

  test("an empty group has done everything at once", () => {
    const { actor, state } = group([]);
    actor.send({ type: "start", by: "ann" });
    expect(state()).toBe("idle");
  });

  test("10,000 members are told and settle within 2 s", () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `sim/p${index}`);
    const { actor, state } = group(names.map((name) => ({ name, state: "starting" })));
    const began = performance.now();
    actor.send({ type: "start", by: "ann" });
    for (const name of names) actor.send({ type: "member", name, state: "started" });
    expect(state()).toBe("idle");
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});
