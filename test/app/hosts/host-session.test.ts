import { afterEach, describe, expect, it } from "vitest";
import { HostSession } from "../../../src/app/hosts/host-session.ts";
import type { RunReport } from "../../../src/contract/run.ts";
import { testClock } from "../../actors/support/clock.ts";
import { report } from "../../support/fakes/run-reports.ts";
import { HOST_TIME, hello, page, ScriptedLink, settled, stale } from "../support/scripted-link.ts";

const open: HostSession[] = [];
afterEach(() => {
  for (const session of open.splice(0)) session.close();
});

function rig(clock = testClock()) {
  const link = new ScriptedLink();
  const heard: string[] = [];
  const reports: { runs: ReadonlyMap<string, RunReport>; changing: ReadonlySet<string> }[] = [];
  const session = new HostSession({
    link,
    epoch: 7,
    clock,
    listener: {
      onHeartbeat: () => {},
      onOutput: () => {},
      onLog: () => {},
      onReport: (runs, changing) => {
        reports.push({ runs, changing });
        heard.push(`report ${[...runs.keys()].join(",")}`);
      },
      onEvent: ({ seq, kind }) => void heard.push(`${kind} ${seq}`),
      onStopping: () => {},
      onStale: () => void heard.push("stale"),
    },
  });
  open.push(session);
  const event = (seq: number, kind: "spawned" | "exited" = "spawned", name = "a") =>
    link.event({ seq, kind, run: report(`7-${seq}`, { name }) });
  /** Greets, with a table of `seq`, and delivers it. */
  const greet = async (seq = 0, name = "s1", runs: RunReport[] = []) => {
    const greeting = session.greet();
    await link.next("hello").answer(hello(name));
    await link.next("report").answer(page(seq, runs));
    await greeting;
    session.deliver();
  };
  return { link, clock, heard, reports, session, event, greet };
}

describe("a greeting", () => {
  it("reports the offset of the host's clock, corrected by the round trip", async () => {
    const { link, clock, session } = rig();
    const greeting = session.greet();
    clock.advance(400);
    await link.next("hello").answer({ ...hello(), time: HOST_TIME + 5_200, version: "1.2.3" });
    await link.next("report").answer(page(0));
    expect(await greeting).toMatchObject({ clock_offset_ms: 5_000, version: "1.2.3" });
  });

  it("sends epoch and contracts, opens the session at the hello and holds the table back until deliver", async () => {
    const { link, heard, session } = rig();
    const greeting = session.greet();
    expect(link.asked[0]?.request).toMatchObject({ epoch: 7, contracts: [1] });
    expect(session.isOpen).toBe(false);
    expect(() => session.session).toThrow(expect.objectContaining({ code: "host_unavailable" }));
    await link.next("hello").answer(hello());
    expect(session.session).toBe("s1");
    expect(session.streamId).toBe("stream-a");
    await link.next("report").answer(page(3, [report("7-1", { name: "a" })]));
    expect(await greeting).toEqual({
      session: "s1",
      stream_id: "stream-a",
      contract: 1,
      pid: 1,
      version: null,
      output_from: null,
      previous_end: null,
      alone: null,
      clock_offset_ms: 0,
    });
    expect(heard).toEqual([]);
    session.deliver();
    session.deliver();
    expect(heard).toEqual(["report a"]);
  });

  it("asks for every page of the table", async () => {
    const { link, heard, session } = rig();
    const greeting = session.greet();
    await link.next("hello").answer(hello());
    await link.next("report").answer(page(1, [report("7-1", { name: "a" })], "a"));
    expect(link.asked[0]?.request).toEqual({ session: "s1", after: "a" });
    await link.next("report").answer(page(2, [report("7-2", { name: "b" })]));
    await greeting;
    session.deliver();
    expect(heard).toEqual(["report a,b"]);
  });

  it("delivers after the table what happened since its first page, and names those processes", async () => {
    const { link, heard, reports, session, event } = rig();
    const greeting = session.greet();
    await link.next("hello").answer(hello());
    event(4);
    await link.next("report").answer(page(4, [report("7-4", { name: "a" })], "a"));
    event(5, "spawned", "late");
    await link.next("report").answer(page(5));
    await greeting;
    event(6, "exited", "late");
    session.deliver();
    expect(heard).toEqual(["report a", "spawned 5", "exited 6"]);
    expect([...(reports[0]?.changing ?? [])]).toEqual(["a", "late"]);
  });

  it("ignores what came before the hello: it may be from another daemon", async () => {
    const { link, heard, session, event } = rig();
    const greeting = session.greet();
    event(900);
    await link.next("hello").answer(hello());
    await link.next("report").answer(page(0));
    await greeting;
    session.deliver();
    expect(heard).toEqual(["report "]);
    expect(link.asked).toEqual([]);
  });

  it("keeps no events before the first request", async () => {
    const { heard, session, event, greet } = rig();
    event(1);
    await greet(1);
    session.drop();
    event(2);
    event(3);
    await greet(3, "s2");
    expect(heard).toEqual(["report ", "report "]);
  });

  it("that was overtaken by a later one is ignored, in whatever order the answers come", async () => {
    const { link, heard, session } = rig();
    const overtaken = expect(session.greet()).rejects.toMatchObject({ code: "host_unavailable" });
    const firstHello = link.next("hello");
    const second = session.greet();
    await link.next("hello").answer(hello("s2"));
    await firstHello.answer(hello("s1"));
    await overtaken;
    expect(session.session).toBe("s2");
    await link.next("report").answer(page(1, [report("7-1", { name: "a" })]));
    await second;
    session.deliver();
    expect(heard).toEqual(["report a"]);
    expect(link.asked).toEqual([]);
  });

  it("that fails leaves no session open", async () => {
    const { link, clock, session } = rig();
    const refused = expect(session.greet()).rejects.toMatchObject({ code: "stale_session" });
    await link.next("hello").answer(hello());
    expect(session.isOpen).toBe(true);
    await link.next("report").refuse(stale());
    await refused;
    expect(session.isOpen).toBe(false);
    const before = link.heartbeats.length;
    clock.advance(10_000);
    expect(link.heartbeats.length).toBe(before);
  });

  it("whose answer was lost with a connection is given up at the next heartbeat, not after the time-out of requests", async () => {
    const { link, clock, session } = rig();
    const greeting = session.greet();
    link.next("hello");
    clock.advance(2_900);
    link.beat({ session: null });
    clock.advance(100);
    let isOver = false;
    greeting.catch(() => {
      isOver = true;
    });
    await settled();
    expect(isOver).toBe(false);
    link.beat({ session: null });
    await expect(greeting).rejects.toMatchObject({ code: "timeout" });
    expect(session.isOpen).toBe(false);
  });

  it("continues however long its table takes, page by page", async () => {
    const { link, clock, session } = rig();
    const greeting = session.greet();
    await link.next("hello").answer(hello());
    for (const after of ["a", "b", "c", null]) {
      clock.advance(2_500);
      link.beat({ session: "s1" });
      await link.next("report").answer(page(0, [], after));
    }
    await expect(greeting).resolves.toMatchObject({ session: "s1" });
  });

  it("that is under way when the session closes opens nothing and sends no more heartbeats", async () => {
    const { link, clock, session } = rig();
    const givenUp = expect(session.greet()).rejects.toMatchObject({ code: "host_unavailable" });
    session.close();
    await link.next("hello").answer(hello());
    await givenUp;
    expect(session.isOpen).toBe(false);
    clock.advance(10_000);
    expect(link.heartbeats).toEqual([]);
    expect(link.listeners.size).toBe(0);
    await expect(session.greet()).rejects.toMatchObject({ code: "host_unavailable" });
  });
});

describe("events", () => {
  it("are delivered once and in order; known ones are ignored", async () => {
    const { heard, event, greet } = rig();
    await greet(2);
    event(1);
    event(2);
    event(3);
    event(3);
    event(4);
    expect(heard).toEqual(["report ", "spawned 3", "spawned 4"]);
  });

  it("with a gap before them cause a request for the whole table, and are delivered after it", async () => {
    const { link, heard, event, greet } = rig();
    await greet(2);
    event(5);
    event(6, "exited");
    expect(heard).toEqual(["report "]);
    await link.next("report").answer(page(5, [report("7-5", { name: "a" })]));
    expect(heard).toEqual(["report ", "report a", "exited 6"]);
    expect(link.asked).toEqual([]);
  });

  it("with another gap after the table ask once more", async () => {
    const { link, heard, event, greet } = rig();
    await greet(0);
    event(2);
    event(9);
    await link.next("report").answer(page(3));
    await link.next("report").answer(page(9));
    event(10);
    expect(heard).toEqual(["report ", "report ", "report ", "spawned 10"]);
  });
});

describe("the host's heartbeat", () => {
  it("requests the table once if its seq shows that events were lost", async () => {
    const { link, heard, greet } = rig();
    await greet(2);
    link.beat({ seq: 2 });
    expect(link.asked).toEqual([]);
    link.beat({ seq: 3 });
    link.beat({ seq: 3 });
    await link.next("report").answer(page(3));
    expect(link.asked).toEqual([]);
    expect(heard).toEqual(["report ", "report "]);
  });

  it("of another session requires a new hello", async () => {
    const { link, heard, session, greet } = rig();
    await greet(2);
    link.beat({ session: null, seq: 2 });
    expect(heard).toEqual(["report ", "stale"]);
    expect(session.isOpen).toBe(false);
    link.beat({ session: null, seq: 2 });
    expect(heard).toEqual(["report ", "stale"]);
  });

  it("is ignored during a greeting", async () => {
    const { link, heard, session } = rig();
    const greeting = session.greet();
    link.beat({ session: null, seq: 9 });
    await link.next("hello").answer(hello());
    link.beat({ session: "s1", seq: 9 });
    await link.next("report").answer(page(9));
    await greeting;
    session.deliver();
    expect(heard).toEqual(["report "]);
  });
});

describe("a table that cannot be fetched again", () => {
  it("ends the session and requires a hello", async () => {
    const { link, heard, session, event, greet } = rig();
    await greet(0);
    event(2);
    await link.next("report").refuse(stale());
    expect(heard).toEqual(["report ", "stale"]);
    expect(session.isOpen).toBe(false);
  });

  it("is ignored when the session was discarded meanwhile", async () => {
    const { link, heard, session, event, greet } = rig();
    await greet(0);
    event(2);
    session.drop();
    await link.next("report").refuse(stale());
    expect(heard).toEqual(["report "]);
  });
});

describe("commands", () => {
  it("carry the session; a stale session is reported before the rejection", async () => {
    const { heard, session, greet } = rig();
    await greet(0);
    expect(await session.command(async (id) => id)).toBe("s1");
    await expect(session.command(() => Promise.reject(stale()))).rejects.toMatchObject({ code: "stale_session" });
    expect(heard).toEqual(["report ", "stale"]);
    await expect(session.command(async (id) => id)).rejects.toMatchObject({ code: "host_unavailable" });
  });

  it("without an answer fail with the session, not after the time-out of requests", async () => {
    const { link, session, greet } = rig();
    await greet();
    const asked = session.command((id) =>
      link.request("stop", { session: id, run_id: "7-1", steps: [{ signal: "SIGTERM", timeout_ms: 1 }] }),
    );
    session.drop();
    await expect(asked).rejects.toMatchObject({ code: "host_unavailable", message: expect.stringContaining("may have been carried out") });
    await link.next("stop").refuse(stale());
    await greet(0, "s2");
    expect(session.session).toBe("s2");
  });

  it("whose stale answer comes after a new greeting do not affect the new session", async () => {
    const { heard, session, greet } = rig();
    await greet(0);
    let refuse: (error: Error) => void = () => {};
    const late = session.command(
      () =>
        new Promise((_resolve, reject) => {
          refuse = reject;
        }),
    );
    late.catch(() => undefined);
    await greet(0, "s2");
    refuse(stale());
    await expect(late).rejects.toMatchObject({ code: "host_unavailable" });
    expect(session.session).toBe("s2");
    expect(heard).not.toContain("stale");
  });

  it("of several hosts are kept by heartbeats at the same moments, until each of them is dropped", async () => {
    const one = rig();
    const { clock } = one;
    const other = rig(clock);
    const beats = (): number[] => [one, other].map(({ link }) => link.heartbeats.length);
    await one.greet();
    clock.advance(700);
    await other.greet();
    expect(beats()).toEqual([1, 1]);
    clock.advance(1_299);
    expect(beats()).toEqual([1, 1]);
    clock.advance(1);
    expect(beats()).toEqual([2, 2]);
    one.session.drop();
    clock.advance(2_000);
    expect(beats()).toEqual([2, 3]);
    other.session.drop();
    clock.advance(4_000);
    expect(beats()).toEqual([2, 3]);
  });

  it("are accepted as long as heartbeats are sent every two seconds, until the session is dropped", async () => {
    const { link, clock, session, greet } = rig();
    await greet(0);
    expect(link.heartbeats).toEqual(["s1"]);
    clock.advance(4_000);
    expect(link.heartbeats).toEqual(["s1", "s1", "s1"]);
    session.drop();
    clock.advance(10_000);
    expect(link.heartbeats.length).toBe(3);
    await settled();
  });
});
