import { beforeEach, describe, expect, test } from "vitest";
import { createActor } from "xstate";
import type { Greeting, HostActor, HostEmitted } from "../../src/actors/host-machine.ts";
import { hostMachine } from "../../src/actors/host-machine.ts";
import type { HostHeartbeat } from "../../src/contract/messages.ts";
import { CONTRACT_VERSION } from "../../src/contract/messages.ts";
import type { TestClock } from "./support/clock.ts";
import { testClock } from "./support/clock.ts";
import { settle } from "./support/process.ts";

describe("the statechart of a host", () => {
  let clock: TestClock;
  let actor: HostActor;
  let emitted: HostEmitted[];
  let greetings: { resolve: (greeting: Greeting) => void; reject: (error: unknown) => void; signal: AbortSignal }[];

  beforeEach(() => {
    clock = testClock();
    emitted = [];
    greetings = [];
    const greet = (signal: AbortSignal) => new Promise<Greeting>((resolve, reject) => greetings.push({ resolve, reject, signal }));
    actor = createActor(hostMachine, { input: { name: "bench", isLocal: true, greet }, clock });
    actor.on("*", (event) => {
      emitted.push(event);
    });
    actor.start();
  });

  const heartbeat = (overrides: Partial<HostHeartbeat> = {}) =>
    actor.send({
      type: "heartbeat",
      heartbeat: { host: "bench", contract: CONTRACT_VERSION, pid: 7, stream_id: "s1", session: null, seq: 0, ...overrides },
    });
  const greeted = async (greeting: Partial<Greeting> = {}) => {
    greetings.at(-1)?.resolve({
      session: "a",
      stream_id: "s1",
      pid: 7,
      version: null,
      output_from: null,
      previous_end: null,
      alone: null,
      clock_offset_ms: 0,
      ...greeting,
    });
    await settle();
  };
  const ready = async () => {
    heartbeat();
    await greeted();
  };
  const state = () => {
    const { value } = actor.getSnapshot();
    return typeof value === "string" ? value : Object.keys(value)[0];
  };
  const kinds = () => emitted.map((event) => event.type);

  test("absent | heartbeat | greeting, then ready", async () => {
    expect(state()).toBe("absent");
    heartbeat();
    expect(state()).toBe("greeting");
    heartbeat();
    expect(greetings).toHaveLength(1);
    await greeted();
    expect(state()).toBe("ready");
    expect(emitted).toEqual([
      {
        type: "ready",
        greeting: {
          session: "a",
          stream_id: "s1",
          pid: 7,
          version: null,
          output_from: null,
          previous_end: null,
          alone: null,
          clock_offset_ms: 0,
        },
      },
    ]);
  });

  test("greeting | failed | lost, a sentence in the log, and the next heartbeat tries again", async () => {
    heartbeat();
    greetings[0]?.reject(new Error("no answer"));
    await settle();
    expect(state()).toBe("lost");
    expect(emitted).toEqual([
      { type: "note", level: "warning", msg: "no session could be opened; the next heartbeat tries again: no answer" },
    ]);
    heartbeat();
    expect(state()).toBe("greeting");
  });

  test("greeting | no answer in 30 s | lost, the effect aborted", () => {
    heartbeat();
    clock.advance(30_000);
    expect(state()).toBe("lost");
    expect(greetings[0]?.signal.aborted).toBe(true);
  });

  test("ready | heartbeats of the same session | ready, nothing emitted", async () => {
    await ready();
    heartbeat({ session: "a" });
    expect(state()).toBe("ready");
    expect(kinds()).toEqual(["ready"]);
  });

  test("ready | silence | lost", async () => {
    await ready();
    actor.send({ type: "silent" });
    expect(kinds()).toEqual(["ready", "lost"]);
  });

  test("ready | it belongs to another session, or a command was stale | lost, greeting", async () => {
    await ready();
    heartbeat({ session: null });
    expect(state()).toBe("greeting");
    await greeted({ session: "b" });
    actor.send({ type: "stale" });
    expect(state()).toBe("greeting");
    expect(kinds()).toEqual(["ready", "lost", "ready", "lost"]);
  });

  test("lost | heartbeat of the same daemon | ready again, no run lost", async () => {
    await ready();
    actor.send({ type: "silent" });
    heartbeat();
    await greeted({ session: "b" });
    expect(kinds()).toEqual(["ready", "lost", "ready"]);
  });

  test("lost | heartbeat of another daemon | died before it is ready", async () => {
    await ready();
    actor.send({ type: "silent" });
    heartbeat({ stream_id: "s2" });
    await greeted({ session: "b", stream_id: "s2" });
    expect(kinds()).toEqual(["ready", "lost", "died", "ready"]);
  });

  test("ready | its daemon exited | died; its late heartbeats are ignored, those of another daemon are not", async () => {
    await ready();
    actor.send({ type: "daemon.exited" });
    expect(state()).toBe("died");
    heartbeat({ session: "a" });
    actor.send({ type: "daemon.exited" });
    expect(state()).toBe("died");
    heartbeat({ stream_id: "s2" });
    await greeted({ session: "b", stream_id: "s2" });
    expect(kinds()).toEqual(["ready", "lost", "died", "ready"]);
  });

  test("absent | a daemon exited that was never greeted | absent", () => {
    actor.send({ type: "daemon.exited" });
    expect(state()).toBe("absent");
    expect(emitted).toEqual([]);
  });

  test("any | heartbeat of an unknown contract version | incompatible, logged once, nothing stopped", () => {
    heartbeat({ contract: CONTRACT_VERSION + 1 });
    heartbeat({ contract: CONTRACT_VERSION + 1 });
    expect(state()).toBe("incompatible");
    expect(greetings).toEqual([]);
    expect(kinds()).toEqual(["note", "incompatible"]);
    heartbeat();
    expect(state()).toBe("greeting");
  });
});
