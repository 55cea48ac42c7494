import { beforeEach, describe, expect, test } from "vitest";
import type { ConnectionActor } from "../../src/actors/connection.ts";
import { openConnection } from "../../src/actors/connection.ts";
import { ActorSystem } from "../../src/actors/system.ts";
import type { TestClock } from "./support/clock.ts";
import { testClock } from "./support/clock.ts";

describe("the statechart of a connection", () => {
  let clock: TestClock;
  let system: ActorSystem;
  let calls: string[];
  let connection: ConnectionActor;

  beforeEach(() => {
    clock = testClock();
    system = new ActorSystem({ clock, log: () => {} });
    calls = [];
    connection = openConnection(system, "c1", {
      ping: () => calls.push("ping"),
      close: (code, reason) => calls.push(`close ${code} ${reason}`),
      terminate: () => calls.push("terminate"),
    });
  });

  test("a peer that answers is pinged every 20 s and stays connected", () => {
    for (let minute = 0; minute < 30; minute++) {
      clock.advance(20_000);
      connection.send({ type: "pong" });
    }
    expect(calls).toEqual(Array.from({ length: 30 }, () => "ping"));
    expect(connection.state()).toBe("flowing");
  });

  test("a peer that answers no ping counts as dead after 60 s", () => {
    clock.advance(59_999);
    expect(calls).toEqual(["ping", "ping"]);
    expect(connection.state()).toBe("flowing");
    clock.advance(1);
    expect(calls.at(-1)).toBe("terminate");
    expect(connection.state()).toBe("closed");
    expect(system.names("connection")).toEqual([]);
  });

  test("a late pong counts as much as an early one", () => {
    clock.advance(59_000);
    connection.send({ type: "pong" });
    clock.advance(59_000);
    expect(connection.state()).toBe("flowing");
  });

  test("a connection that is congested for 30 s without progress is closed with 1008", () => {
    connection.send({ type: "congested" });
    expect(connection.state()).toBe("congested");
    clock.advance(29_999);
    expect(connection.state()).toBe("congested");
    clock.advance(1);
    expect(calls).toContain("close 1008 too slow");
    expect(connection.state()).toBe("closing");
  });

  test("progress gives a congested connection another 30 s, and draining ends the congestion", () => {
    connection.send({ type: "congested" });
    for (let step = 0; step < 10; step++) {
      clock.advance(19_000);
      connection.send({ type: "progress" });
      connection.send({ type: "pong" });
    }
    expect(connection.state()).toBe("congested");
    connection.send({ type: "drained" });
    expect(connection.state()).toBe("flowing");
    clock.advance(40_000);
    expect(calls.some((call) => call.startsWith("close"))).toBe(false);
  });

  test("closing takes at most 5 s, then the socket is terminated", () => {
    connection.send({ type: "close", code: 1001, reason: "manager shutting down" });
    expect(calls).toEqual(["close 1001 manager shutting down"]);
    expect(connection.state()).toBe("closing");
    clock.advance(5_000);
    expect(calls.at(-1)).toBe("terminate");
    expect(connection.state()).toBe("closed");
  });

  test("a close that the peer answers ends without termination", () => {
    connection.send({ type: "close", code: 1001, reason: "" });
    connection.send({ type: "socket.closed" });
    expect(connection.state()).toBe("closed");
    clock.advance(60_000);
    expect(calls).toEqual(["close 1001 "]);
  });

  test("a refused connection is closed with 1008 and the reason as text", () => {
    connection.send({ type: "refuse", reason: "your password was changed" });
    expect(calls).toEqual(["close 1008 your password was changed"]);
  });

  test("a second close has no effect", () => {
    connection.send({ type: "close", code: 1001, reason: "a" });
    connection.send({ type: "close", code: 1008, reason: "b" });
    connection.send({ type: "congested" });
    expect(calls).toEqual(["close 1001 a"]);
  });

  test("a reason longer than a close frame holds is cut between characters", () => {
    connection.send({ type: "refuse", reason: "é".repeat(200) });
    const reason = calls[0]?.slice("close 1008 ".length) ?? "";
    expect(Buffer.byteLength(reason)).toBe(122);
    expect(reason).toBe("é".repeat(61));
  });
});
