import { expect, test } from "vitest";
import { isErrorCode, MgrError } from "../../../src/base/errors.ts";
import { ManualClock } from "../../transport/manual-clock.ts";
import { HostRig, spec } from "../support/hosts.ts";

const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "accepted",
    (error: unknown) => (error instanceof MgrError && isErrorCode(error.code) ? error.code : String(error)),
  );
const report = (rig: HostRig, session = rig.session) => codeOf(rig.host.request("report", { session, after: null }));

test("the highest epoch wins; the same manager may say hello again, and then only its newest session is valid", async () => {
  await using rig = await HostRig.open();
  const first = rig.session;
  expect(await report(rig, "made-up")).toBe("stale_session");
  const again = await rig.hello(1, 1);
  expect([await report(rig, first), await report(rig, again)]).toEqual(["stale_session", "accepted"]);
  expect(await codeOf(rig.hello(1, 2))).toBe("forbidden");
  const newer = await rig.hello(5, 2);
  expect([await report(rig, again), await report(rig, newer)]).toEqual(["stale_session", "accepted"]);
  expect(await codeOf(rig.hello(4, 3))).toBe("forbidden");
  expect(await report(rig, newer)).toBe("accepted");
});

test("a manager without a common contract version is refused with advice", async () => {
  await using rig = await HostRig.open();
  const hello = rig.host.request("hello", { epoch: 9, manager_pid: 1, contracts: [7, 8] });
  await expect(hello).rejects.toMatchObject({ code: "forbidden", message: expect.stringContaining("mgr down") });
  expect(await report(rig)).toBe("accepted");
});

test("the log of the host names the reason for refused commands", async () => {
  await using rig = await HostRig.open();
  const hello = () => codeOf(rig.host.request("hello", { epoch: 9, manager_pid: 4711, contracts: [7, 8] }));
  expect([await hello(), await hello()]).toEqual(["forbidden", "forbidden"]);
  const warnings = rig.log.filter(({ level }) => level === "warning").map(({ msg }) => msg);
  expect(warnings).toEqual([expect.stringMatching(/\(pid 4711\) 7, 8:.*SIGTERM/)]);
});

test("a session lasts while heartbeats come, and ends after 6 s without them until a new hello", async () => {
  const clock = new ManualClock();
  await using rig = await HostRig.open({ clock });
  for (let second = 0; second < 20; second += 2) {
    clock.advance(2_000);
    rig.host.heartbeat(rig.session);
  }
  expect(await report(rig)).toBe("accepted");
  clock.advance(5_900);
  expect(await report(rig)).toBe("accepted");
  clock.advance(200);
  rig.host.heartbeat(rig.session);
  expect(await report(rig)).toBe("stale_session");
  clock.advance(1_000);
  expect(rig.heartbeats.at(-1)?.session).toBeNull();
  await rig.hello(1);
  expect(await report(rig)).toBe("accepted");
});

test("a manager in the same process keeps its session after both were suspended, whichever timer fires first", async () => {
  let asleep = 0;
  const clock = new ManualClock();
  const monotonic = clock.monotonic.bind(clock);
  clock.monotonic = () => monotonic() + asleep;
  await using rig = await HostRig.open({ clock, isDirect: true });
  asleep = 60_000;
  expect(await report(rig)).toBe("accepted");
  clock.advance(2_000);
  expect(await report(rig)).toBe("accepted");
  expect(rig.heartbeats.at(-1)?.session).toBe(rig.session);
  await rig.hello(2);
  expect(await codeOf(rig.hello(1, 2))).toBe("forbidden");
});

test.each(["the command", "its own late tick"])(
  "a host that was suspended ignores the commands that waited in its sockets (%s comes first)",
  async (first) => {
    let asleep = 0;
    const clock = new ManualClock();
    const monotonic = clock.monotonic.bind(clock);
    clock.monotonic = () => monotonic() + asleep;
    await using rig = await HostRig.open({ clock });
    asleep = 3_100;
    // Fresh heartbeats prove nothing: they lay in the socket as well.
    rig.host.heartbeat(rig.session);
    if (first !== "the command") clock.advance(1_000);
    const spawn = { session: rig.session, run_id: "1-1", spec: spec("p", "true"), memo: "" };
    expect(await codeOf(rig.host.request("spawn", spawn))).toBe("stale_session");
    expect(rig.events).toEqual([]);
    await rig.hello(1);
    expect(await report(rig)).toBe("accepted");
  },
);

test("heartbeats come every 2 s with seq and session, and at once when a session ends", async () => {
  const clock = new ManualClock();
  await using rig = await HostRig.open({ clock });
  clock.advance(4_000);
  expect(rig.heartbeats).toHaveLength(2);
  // Features add fields of their own.
  expect(rig.heartbeats[1]).toMatchObject({
    host: "bench",
    contract: 1,
    pid: process.pid,
    stream_id: rig.host.streamId,
    session: rig.session,
    seq: 0,
  });
  await rig.hello(2);
  expect(rig.heartbeats.map((heartbeat) => heartbeat.session === null)).toEqual([false, false, true]);
});

test("windows end with their session, and a stale session opens none", async () => {
  await using rig = await HostRig.open();
  rig.watch("p");
  const stale = rig.session;
  await rig.hello(2);
  rig.host.window({ session: stale, windows: [{ name: "p", from: 0, length: 1_000 }] });
  await rig.event(await rig.spawn(spec("p", "echo unseen")), "extinct");
  expect(rig.chunks).toEqual([]);
  rig.watch("p");
  expect(rig.sent("p")).toBe("unseen\r\n");
});

test("a stop continues without its manager", async () => {
  await using rig = await HostRig.open();
  const run = await rig.spawn(spec("p", "trap '' TERM; echo up; while :; do sleep 0.01; done"));
  rig.watch("p");
  await rig.said("p", /up/);
  await rig.host.request("stop", { session: rig.session, run_id: run.run_id, steps: [{ signal: "SIGTERM", timeout_ms: 100 }] });
  await rig.hello(9, 9);
  expect((await rig.event(run, "extinct")).run.exit?.signal).toBe("SIGKILL");
});
