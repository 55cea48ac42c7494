import { afterEach, describe, expect, test } from "vitest";
import { assign, createMachine, fromCallback, setup } from "xstate";
import { openConnection } from "../../src/actors/connection.ts";
import { groupMachine } from "../../src/actors/group-machine.ts";
import { processMachine } from "../../src/actors/process/process-machine.ts";
import type { ActorListener, ActorScope, ActorSystemOptions } from "../../src/actors/system.ts";
import { ActorSystem, MAX_REBUILDS } from "../../src/actors/system.ts";
import { type Clock, systemClock } from "../../src/base/timing/clock.ts";
import { testClock } from "./support/clock.ts";
import { definition } from "./support/process.ts";

type Options = ActorListener & Pick<ActorSystemOptions, "inspect"> & { clock?: Clock };

function actorSystem({ inspect, clock: given, ...listener }: Options = {}) {
  const clock = testClock();
  const emitted: string[] = [];
  const logged: string[] = [];
  const parked: string[] = [];
  const system = new ActorSystem({
    clock: given ?? clock,
    log: (level, msg) => logged.push(`${level}: ${msg}`),
    inspect,
  });
  system.listen({
    onEmit: (kind, name, event) => emitted.push(`${kind} ${name} ${event.type}`),
    onParked: (kind, name) => parked.push(`${kind} ${name}`),
    ...listener,
  });
  return { clock, emitted, logged, parked, system };
}

/** A group's machine that throws when it is told to stop: what a defect in a machine does. */
const faulty = groupMachine.provide({
  actions: {
    watchMembers: ({ event }) => {
      if (event.type === "stop") throw new Error("a defect");
    },
  },
});
const input = (name: string) => ({ name, members: () => [] });
const stop = { type: "stop" } as const;
const start = { type: "start" } as const;

describe("the actor system", () => {
  const systems: ActorSystem[] = [];
  afterEach(() => {
    for (const system of systems.splice(0)) system.stopAll();
  });
  const open = (options?: Options) => {
    const made = actorSystem(options);
    systems.push(made.system);
    return made;
  };

  test("an actor that throws is rebuilt, and its sibling is not affected", () => {
    const { system, logged } = open();
    const scopes: ActorScope[] = [];
    system.spawn("group", "bad", (scope) => {
      scopes.push(scope);
      return { machine: faulty, input: input("bad") };
    });
    system.spawn("group", "good", () => ({ machine: faulty, input: input("good") }));
    const [bad, good] = [system.get("group", "bad"), system.get("group", "good")];
    system.send("group", "bad", stop);
    expect(system.get("group", "bad")).not.toBe(bad);
    expect(system.get("group", "bad")?.getSnapshot().status).toBe("active");
    expect(system.get("group", "good")).toBe(good);
    expect(good?.getSnapshot().status).toBe("active");
    expect(scopes.map((scope) => scope.rebuild)).toEqual([0, 1]);
    expect(logged).toEqual(["error: the actor of group 'bad' failed and is rebuilt: a defect"]);
  });

  test("events that a listener sends wait until the emitting actor has finished its step, and keep their order", () => {
    const seen: string[] = [];
    const { system } = open({
      onEmit: (_kind, name, event) => {
        seen.push(`${name} ${event.type}`);
        if (name !== "first") return;
        expect(system.send("group", "second", start)).toBe(true);
        expect(system.send("group", "third", start)).toBe(true);
        expect(system.send("group", "nobody", start)).toBe(false);
        seen.push("told");
      },
    });
    for (const name of ["first", "second", "third"]) system.spawn("group", name, () => ({ machine: groupMachine, input: input(name) }));
    system.send("group", "first", start);
    // A group without members has begun and ended at once, and says so twice before it says what came of it.
    const [second, third] = ["second", "third"].map((name) => [`${name} changed`, `${name} changed`, `${name} settled`]);
    const round = [...(second ?? []), ...(third ?? [])];
    const received = ["first changed", "told", "first changed", "told", "first settled", "told"];
    expect(seen).toEqual([...received, ...round, ...round, ...round]);
  });

  test("the effects of a failed actor are aborted before it is rebuilt", () => {
    const order: string[] = [];
    const { system } = open();
    const machine = (scope: ActorScope) =>
      setup({
        types: { events: {} as typeof stop | typeof start },
        actors: {
          effect: fromCallback(() => {
            order.push(`effect ${scope.rebuild}`);
            scope.life.signal.addEventListener("abort", () => order.push(`abort ${scope.rebuild}`));
          }),
        },
        actions: {
          fail: assign(() => {
            throw new Error("a defect");
          }),
        },
      }).createMachine({ invoke: { src: "effect" }, on: { stop: { actions: "fail" } } });
    system.spawn("group", "leaky", (scope) => ({ machine: machine(scope), input: undefined }));
    system.send("group", "leaky", stop);
    expect(order).toEqual(["effect 0", "abort 0", "effect 1"]);
    system.stop("group", "leaky");
    expect(order.at(-1)).toBe("abort 1");
  });

  test("after three rebuilds within a minute an actor is parked", () => {
    const { system, parked, clock, logged } = open();
    system.spawn("group", "bad", () => ({ machine: faulty, input: input("bad") }));
    for (let failure = 0; failure < MAX_REBUILDS; failure++) expect(system.send("group", "bad", stop)).toBe(true);
    expect(parked).toEqual([]);
    system.send("group", "bad", stop);
    expect(parked).toEqual(["group bad"]);
    expect(logged.at(-1)).toContain("is parked");
    expect(system.get("group", "bad")).toBeUndefined();
    expect(system.send("group", "bad", stop)).toBe(false);
    expect(system.names("group")).toEqual(["bad"]);
    // It can be spawned again, without its earlier state.
    clock.advance(1);
    system.spawn("group", "bad", () => ({ machine: faulty, input: input("bad") }));
    expect(system.send("group", "bad", stop)).toBe(true);
    expect(system.get("group", "bad")).toBeDefined();
  });

  test("rebuilds older than a minute do not count", () => {
    const { system, parked, clock } = open();
    system.spawn("group", "bad", () => ({ machine: faulty, input: input("bad") }));
    for (let failure = 0; failure < 10; failure++) {
      system.send("group", "bad", stop);
      clock.advance(30_000);
    }
    expect(parked).toEqual([]);
  });

  test("an actor that fails at its start is parked, not rebuilt for ever", () => {
    const { system, parked } = open();
    let builds = 0;
    system.spawn("group", "stillborn", () => {
      builds++;
      throw new Error("no input");
    });
    expect(builds).toBe(MAX_REBUILDS + 1);
    expect(parked).toEqual(["group stillborn"]);
  });

  test("a failed connection is closed with 1011, terminated after 5 s, and not rebuilt", () => {
    const { system, clock } = open();
    const calls: string[] = [];
    const connection = openConnection(system, "c1", {
      ping: () => {
        throw new Error("a defect");
      },
      close: (code, reason) => calls.push(`close ${code} ${reason}`),
      terminate: () => calls.push("terminate"),
    });
    clock.advance(20_000);
    expect(calls).toEqual(["close 1011 internal error"]);
    expect(connection.state()).toBe("closed");
    expect(system.names("connection")).toEqual([]);
    clock.advance(5_000);
    expect(calls).toEqual(["close 1011 internal error", "terminate"]);
    connection.send({ type: "pong" });
  });

  test("an address in use is refused: the previous actor would be orphaned", () => {
    const { system } = open();
    system.spawn("group", "sim", () => ({ machine: groupMachine, input: input("sim") }));
    expect(() => system.spawn("group", "sim", () => ({ machine: groupMachine, input: input("sim") }))).toThrow("exists already");
  });

  test("actors of different kinds may have the same name", () => {
    const { system } = open();
    system.spawn("group", "x", () => ({ machine: groupMachine, input: input("x") }));
    system.spawn("process", "x", () => ({
      machine: processMachine,
      input: { definition: definition(), requested: "stop" as const, clock: system.clock, nextRunId: () => "1-1", lastRunId: () => "1-0" },
    }));
    system.stop("group", "x");
    expect(system.names("group")).toEqual([]);
    expect(system.get("process", "x")?.getSnapshot().context.shown).toBe("stopped");
  });

  test("an actor that ends by itself leaves the actorSystem", () => {
    const { system } = open();
    openConnection(system, "c1", { ping: () => {}, close: () => {}, terminate: () => {} }).send({ type: "socket.closed" });
    expect(system.names("connection")).toEqual([]);
  });

  test("an event to an unknown actor is an error for its sender", () => {
    expect(open().system.send("process", "nobody", { type: "start", by: "ann" })).toBe(false);
  });

  test("events that actors emit are forwarded with their address", () => {
    const { system, emitted } = open();
    system.spawn("group", "sim", () => ({ machine: groupMachine, input: input("sim") }));
    system.send("group", "sim", start);
    expect(emitted).toEqual(["group sim changed", "group sim changed", "group sim settled"]);
  });

  test("a listener that throws does not affect the actor that emitted the event", () => {
    const { system, logged } = open({
      onEmit: () => {
        throw new Error("deaf");
      },
    });
    system.spawn("group", "sim", () => ({ machine: groupMachine, input: input("sim") }));
    system.send("group", "sim", start);
    expect(system.get("group", "sim")?.getSnapshot().status).toBe("active");
    expect(logged[0]).toBe("error: a listener failed on 'changed' of group 'sim': deaf");
  });

  test("a delay of 0 ends in the next turn of the event loop, unless its state is left before", async () => {
    const { system } = open({ clock: systemClock });
    const machine = createMachine({ initial: "a", states: { a: { after: { 0: "b" }, on: { "host.lost": "c" } }, b: {}, c: {} } });
    const state = (name: string) => system.get("process", name)?.getSnapshot().value;
    for (const name of ["stays", "leaves"]) system.spawn("process", name, () => ({ machine, input: undefined }));
    system.send("process", "leaves", { type: "host.lost" });
    expect([state("stays"), state("leaves")]).toEqual(["a", "c"]);
    await new Promise((resolve) => setImmediate(resolve));
    expect([state("stays"), state("leaves")]).toEqual(["b", "c"]);
  });

  test("actors that share a system of xstate fail, time out and stop alone, also beyond the number that share one", () => {
    const machine = createMachine({
      id: "timed",
      initial: "waiting",
      states: { waiting: { after: { 1000: "over" }, on: { "host.lost": { actions: "fail" } } }, over: {} },
    }).provide({
      actions: {
        fail: () => {
          throw new Error("a defect");
        },
      },
    });
    const { clock, system } = open();
    const failed: string[] = [];
    const names = Array.from({ length: 250 }, (_, index) => `p${index}`);
    for (const name of names)
      system.spawn(
        "process",
        name,
        () => ({ machine, input: undefined }),
        () => failed.push(name),
      );
    const state = (name: string) => system.get("process", name)?.getSnapshot().value;
    system.send("process", "p7", { type: "host.lost" });
    system.stop("process", "p8");
    clock.advance(1_000);
    expect(failed).toEqual(["p7"]);
    expect(names.filter((name) => state(name) === undefined)).toEqual(["p7", "p8"]);
    expect(new Set(names.map(state))).toEqual(new Set(["over", undefined]));
  });

  test("inspection sees events when it is on", () => {
    const seen: string[] = [];
    const { system } = open({ inspect: (event) => seen.push(event.type) });
    system.spawn("group", "sim", () => ({ machine: groupMachine, input: input("sim") }));
    expect(seen).toContain("@xstate.actor");
  });

  test("10,000 actors are spawned, receive an event and are stopped (in one tree it would take half a minute)", () => {
    const { system } = open({ clock: systemClock });
    for (let index = 0; index < 10_000; index++) {
      system.spawn("process", `p${index}`, () => ({
        machine: processMachine,
        input: { definition: definition(), requested: "stop" as const, clock: systemClock, nextRunId: () => "1-1", lastRunId: () => "1-0" },
      }));
    }
    for (const name of system.names("process")) system.send("process", name, { type: "report", run: null });
    system.stopAll();
    expect(system.names("process")).toEqual([]);
  });
});
