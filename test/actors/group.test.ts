import { describe, expect, test } from "vitest";
import { createActor } from "xstate";
import type { GroupEmitted, GroupMember } from "../../src/actors/group-machine.ts";
import { groupMachine } from "../../src/actors/group-machine.ts";
import type { ProcessState } from "../../src/protocol/resources/resources.ts";

function group(members: GroupMember[]) {
  const emitted: GroupEmitted[] = [];
  const live = [...members];
  const actor = createActor(groupMachine, { input: { name: "sim", members: () => live } });
  const become = (name: string, state: ProcessState) => {
    const index = live.findIndex((member) => member.name === name);
    const has_ready_state = live[index]?.has_ready_state ?? false;
    live[index] = { name, state, has_ready_state };
    actor.send({ type: "member", name, state, has_ready_state });
  };
  /** As app does it: the members first, in the same turn. */
  const command = (type: "start" | "stop" | "restart", reaction: ProcessState) => {
    for (const { name } of live) become(name, reaction);
    actor.send({ type });
  };
  actor.on("*", (event) => {
    emitted.push(event);
  });
  actor.start();
  return { actor, emitted, live, become, command, state: () => actor.getSnapshot().value };
}

const stopped = (...names: string[]): GroupMember[] => names.map((name) => ({ name, state: "stopped", has_ready_state: false }));

describe("the statechart of a group", () => {
  test("a start lasts until each member has settled", () => {
    const { state, become, command, emitted } = group(stopped("a", "b"));
    command("start", "starting");
    expect(state()).toBe("starting");
    become("a", "started");
    become("b", "waiting");
    expect(state()).toBe("starting");
    become("b", "error");
    expect(state()).toBe("idle");
    expect(emitted).toEqual([
      { type: "changed", progress: "starting", pending: 2 },
      { type: "changed", progress: null, pending: 0 },
      { type: "settled", after: "starting" },
    ]);
  });

  test("a start of a group waits for a member in backoff until it runs, fails or is stopped", () => {
    for (const end of ["started", "error", "stopped"] as const) {
      const { state, become, command, emitted } = group(stopped("a"));
      command("start", "starting");
      for (const step of ["backoff", "starting", "backoff"] as const) {
        become("a", step);
        expect(state(), `${step} before ${end}`).toBe("starting");
      }
      become("a", end);
      expect(state(), end).toBe("idle");
      expect(emitted.at(-1)).toEqual({ type: "settled", after: "starting" });
    }
  });

  test("a start of a group waits until a member with a ready condition is ready", () => {
    const { state, become, command } = group([{ name: "a", state: "stopped", has_ready_state: true }]);
    command("start", "starting");
    become("a", "started");
    expect(state()).toBe("starting");
    become("a", "ready");
    expect(state()).toBe("idle");
  });

  test("a stop of a group lasts until no member runs", () => {
    const { state, become, command } = group([
      { name: "a", state: "ready", has_ready_state: true },
      { name: "b", state: "backoff", has_ready_state: false },
    ]);
    command("stop", "stopping");
    become("a", "stopped");
    expect(state()).toBe("stopping");
    become("b", "stopped");
    expect(state()).toBe("idle");
  });

  test("a command acts on the members that the group has in the turn in which it is accepted", () => {
    const { actor, live, state, become, command } = group(stopped("a"));
    command("start", "starting");
    live.push({ name: "late", state: "stopped", has_ready_state: false });
    actor.send({ type: "member", name: "late", state: "starting", has_ready_state: false });
    become("a", "started");
    expect(state()).toBe("idle");
  });

  test("a removed member does not delay a command", () => {
    const { actor, state, command } = group(stopped("a"));
    command("start", "starting");
    actor.send({ type: "removed", name: "a" });
    expect(state()).toBe("idle");
  });

  test("a stop during a start replaces the start", () => {
    const { state, become, command, emitted } = group(stopped("a"));
    command("start", "starting");
    command("stop", "stopping");
    expect(state()).toBe("stopping");
    become("a", "stopped");
    expect(state()).toBe("idle");
    expect(emitted.filter(({ type }) => type === "settled")).toEqual([{ type: "settled", after: "stopping" }]);
  });

  test("a restart stops all members, then starts them, and ends when both are done", () => {
    const { state, become, command } = group([{ name: "a", state: "started", has_ready_state: false }]);
    command("restart", "stopping");
    become("a", "starting");
    expect(state()).toBe("starting");
    become("a", "started");
    expect(state()).toBe("idle");
  });

  test("an empty group completes every command at once", () => {
    const { state, command } = group([]);
    command("start", "starting");
    expect(state()).toBe("idle");
  });

  test("a command checks all members once, however many there are", () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `sim/p${index}`);
    let checks = 0;
    const live = names.map((name) => ({ name, state: "starting" as const, has_ready_state: false }));
    const actor = createActor(groupMachine, {
      input: {
        name: "sim",
        members: () => {
          checks += 1;
          return live;
        },
      },
    });
    actor.start();
    actor.send({ type: "start" });
    const { pending } = actor.getSnapshot().context;
    for (const name of names) actor.send({ type: "member", name, state: "started", has_ready_state: false });
    expect(actor.getSnapshot().value).toBe("idle");
    expect(checks).toBe(1);
    // Counted down in place: a copy for each member would be 10^8 steps.
    expect(pending.size).toBe(0);
  });
});
