import { describe, expect, test } from "vitest";
import { MgrError } from "../../src/base/errors.ts";
import type { RunReport } from "../../src/contract/run.ts";
import { isAlive, startTimeOf } from "../../src/daemon/proc/proc.ts";
import { type TestClock, testClock } from "../actors/support/clock.ts";
import { ShiftedClock } from "../support/fakes/shifted-clock.ts";
import { HostRig, reportedBy, spec } from "./support/hosts.ts";

const refusal = async (promise: Promise<unknown>): Promise<MgrError> => {
  const error = await promise.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(MgrError);
  return error as MgrError;
};
const kinds = (rig: HostRig, run: RunReport) => rig.events.filter((event) => event.run.run_id === run.run_id).flatMap(reportedBy);

describe("a run", () => {
  test("is reported from its start to its extinction, with a seq that grows by one", async () => {
    await using rig = await HostRig.open();
    const run = await rig.spawn(spec("p", "echo hello; exit 3"));
    expect(run).toMatchObject({
      name: "p",
      run_id: "1-1",
      exit: null,
      extinct: false,
      ready: false,
      stopping: false,
      first_offset: 0,
      final_offset: null,
    });
    expect(run.pid).toBeGreaterThan(0);
    const { run: end } = await rig.event(run, "extinct");
    expect(end).toMatchObject({
      exit: { code: 3, signal: null, reason: null },
      extinct: true,
      final_offset: "hello\r\n".length,
      pid: run.pid,
    });
    expect(kinds(rig, run)).toEqual(["spawned", "exited", "extinct"]);
    expect(rig.events.map((event) => event.seq)).toEqual(rig.events.map((_, index) => index + 1));
  });

  test("that is ended by a signal names the signal", async () => {
    await using rig = await HostRig.open();
    const run = await rig.spawn(spec("p", "kill -ABRT $$"));
    expect((await rig.event(run, "exited")).run.exit).toEqual({ code: null, signal: "SIGABRT", reason: null });
  });

  test("is started once however often its spawn is sent, also before the first is answered", async () => {
    await using rig = await HostRig.open();
    const [first, second] = await Promise.all([rig.spawn(spec("p", "sleep 60"), "1-7"), rig.spawn(spec("p", "sleep 60"), "1-7")]);
    const third = await rig.spawn(spec("p", "sleep 60"), "1-7");
    expect(new Set([first.pid, second.pid, third.pid]).size).toBe(1);
    expect(rig.events.map((event) => event.kind)).toEqual(["spawned"]);
  });

  test("refuses another run of its name with conflict, and names itself, while it lives", async () => {
    await using rig = await HostRig.open();
    const run = await rig.spawn(spec("p", "sleep 60"), "1-1");
    const error = await refusal(rig.spawn(spec("p", "sleep 60"), "1-2"));
    expect(error.code).toBe("conflict");
    expect(error.details).toMatchObject({ run: { run_id: "1-1", pid: run.pid } });
  });

  test("that a newer one followed is not started again by a late spawn", async () => {
    await using rig = await HostRig.open();
    await rig.event(await rig.spawn(spec("p", "exit 0"), "1-1"), "extinct");
    await rig.event(await rig.spawn(spec("p", "exit 0"), "1-2"), "extinct");
    expect((await refusal(rig.spawn(spec("p", "exit 0"), "1-1"))).code).toBe("not_running");
    expect(
      (await refusal(rig.host.request("stop", { session: rig.session, run_id: "1-1", steps: [{ signal: "SIGTERM", timeout_ms: 1 }] })))
        .code,
    ).toBe("not_running");
  });

  test("is one of many that start at once without stopping the event loop", async () => {
    await using rig = await HostRig.open();
    // Turns of the event loop that others get meanwhile: unlike milliseconds they do not depend on the machine's load.
    let turns = 0;
    let over = false;
    const count = () => {
      turns++;
      if (!over) setImmediate(count);
    };
    setImmediate(count);
    const runs = await Promise.all(Array.from({ length: 50 }, (_, index) => rig.spawn(spec(`p${index}`, "exec sleep 60"))));
    over = true;
    expect(new Set(runs.map((run) => run.pid)).size).toBe(50);
    expect(turns).toBeGreaterThanOrEqual(49);
  });

  test("that cannot be started is spawn_failed, leaves no run, and gives the same answer to the same request", async () => {
    await using rig = await HostRig.open();
    const bad = spec("p", "", { program: { kind: "exec", argv: ["no-such-program"] } });
    const error = await refusal(rig.spawn(bad, "1-1"));
    expect([error.code, error.message]).toEqual(["spawn_failed", expect.stringContaining("there is no program 'no-such-program'")]);
    expect(await refusal(rig.spawn(bad, "1-1"))).toBe(error);
    expect((await rig.host.request("report", { session: rig.session, after: null })).runs).toEqual([]);
    expect(rig.events).toEqual([]);
    expect((await rig.spawn(spec("p", "exit 0"), "1-2")).pid).toBeGreaterThan(0);
  });

  test("has the environment that it was given, the marker, and none of the daemon's own variables", async () => {
    await using rig = await HostRig.open();
    const run = await rig.spawn(
      spec("group/p", "env", {
        inherited: { PATH: "/usr/bin:/bin", LC_ALL: "C", SECRET: "x", DISPLAY: ":1", ROS_A: "1" },
        pass_environment: ["DISPLAY", "ROS_*"],
        environment: { MODE: "fast", MGR_RUN: "forged" },
      }),
    );
    rig.watch("group/p");
    await rig.event(run, "extinct");
    const variables = rig
      .sent("group/p")
      .split("\r\n")
      .filter((line) => line.includes("=") && !line.startsWith("PWD="));
    expect(variables.sort()).toEqual(
      [
        "COLORTERM=truecolor",
        "DISPLAY=:1",
        "LC_ALL=C",
        "MGR_PROCESS=group/p",
        `MGR_RUN=${rig.host.streamId}:1-1`,
        "MODE=fast",
        "PATH=/usr/bin:/bin",
        "ROS_A=1",
        "TERM=xterm-256color",
      ].sort(),
    );
  });
});

describe("stopping", () => {
  test("signals, waits, and kills what does not end; a repeated command changes nothing", async () => {
    const clock = new ShiftedClock();
    await using rig = await HostRig.open({ clock, isDirect: true });
    const run = await rig.spawn(spec("p", "trap 'echo no' TERM; echo up; while :; do sleep 0.01; done"));
    rig.watch("p");
    await rig.said("p", /up/);
    const stop = { session: rig.session, run_id: run.run_id, steps: [{ signal: "SIGTERM", timeout_ms: 600_000 }] };
    await rig.host.request("stop", stop);
    await rig.host.request("stop", stop);
    await rig.said("p", /no/);
    clock.pass(600_000);
    const { run: end } = await rig.event(run, "extinct");
    expect(end.exit).toMatchObject({ signal: "SIGKILL" });
    expect(kinds(rig, run)).toEqual(["spawned", "stopping", "exited", "extinct"]);
    expect(rig.sent("p").match(/no/g)).toHaveLength(1);
    expect((await refusal(rig.host.request("stop", stop))).code).toBe("not_running");
  });

  test("with other steps replaces the steps in progress", async () => {
    await using rig = await HostRig.open();
    const run = await rig.spawn(spec("p", "trap '' TERM; echo up; while :; do sleep 0.01; done"));
    rig.watch("p");
    await rig.said("p", /up/);
    await rig.host.request("stop", { session: rig.session, run_id: run.run_id, steps: [{ signal: "SIGTERM", timeout_ms: 60_000 }] });
    await rig.host.request("stop", { session: rig.session, run_id: run.run_id, steps: [{ signal: "SIGKILL", timeout_ms: 1_000 }] });
    expect((await rig.event(run, "extinct")).run.exit).toMatchObject({ signal: "SIGKILL" });
  });

  test("reaches a stopped (SIGSTOP) child", async () => {
    await using rig = await HostRig.open();
    const run = await rig.spawn(spec("p", "exec sleep 60"));
    await rig.host.request("signal", { session: rig.session, run_id: run.run_id, signal: "SIGSTOP" });
    await rig.host.request("stop", { session: rig.session, run_id: run.run_id, steps: [{ signal: "SIGTERM", timeout_ms: 60_000 }] });
    expect((await rig.event(run, "extinct")).run.exit).toMatchObject({ signal: "SIGTERM" });
  });

  test("lets the children of a leader that ends at SIGTERM finish within the time limit", async () => {
    await using rig = await HostRig.open();
    const run = await rig.spawn(
      spec("p", "(trap '' HUP; trap 'sleep 0.2; echo saved; exit' TERM; echo up; while :; do sleep 0.01; done) & wait"),
    );
    rig.watch("p");
    await rig.said("p", /up/);
    await rig.host.request("stop", { session: rig.session, run_id: run.run_id, steps: [{ signal: "SIGTERM", timeout_ms: 60_000 }] });
    const { run: end } = await rig.event(run, "extinct");
    expect(rig.sent("p")).toContain("saved");
    expect(end.final_offset).toBe(Buffer.byteLength(rig.sent("p")));
  });

  test("a leader that ends by itself is reported at once, and the rest of its tree is killed", async () => {
    await using rig = await HostRig.open();
    const run = await rig.spawn(spec("p", "sh -c 'trap \"\" HUP TERM; echo pid $$; while :; do sleep 1; done' & read go; exit 2"));
    rig.watch("p");
    await rig.said("p", /pid \d+\r\n/);
    const child = Number(/pid (\d+)\r\n/.exec(rig.sent("p"))?.[1]);
    const childStart = startTimeOf(child) ?? "none";
    expect(isAlive(child, childStart)).toBe(true);
    await rig.host.request("write", { session: rig.session, run_id: run.run_id, text: "go\n" });
    const { run: ended } = await rig.event(run, "exited");
    expect(ended).toMatchObject({ exit: { code: 2 }, extinct: false });
    await rig.event(run, "extinct");
    expect(isAlive(child, childStart)).toBe(false);
  });

  test("all runs, without a manager, goes from the highest rank to the lowest and waits for each", async () => {
    await using rig = await HostRig.open();
    const slow = "trap 'sleep 0.1; exit 0' TERM; echo up; while :; do sleep 0.01; done";
    for (const [name, rank] of [
      ["db", 0],
      ["web", 2],
      ["api", 1],
    ] as const) {
      await rig.spawn(spec(name, slow, { stop_rank: rank }));
      rig.watch(name);
      await rig.said(name, /up/);
    }
    await rig.host.stopAll();
    const order = rig.events
      .flatMap((event) => reportedBy(event).map((kind) => `${kind} ${event.run.name}`))
      .filter((told) => /^(stopping|extinct) /.test(told));
    expect(order).toEqual(["stopping web", "extinct web", "stopping api", "extinct api", "stopping db", "extinct db"]);
    expect((await refusal(rig.spawn(spec("late", "true")))).code).toBe("host_unavailable");
  });
});

describe("the events of the end of a run", () => {
  /** Its time stands still: however slow the machine is, nothing is told because it waited for too long. */
  async function open(): Promise<{ rig: HostRig; clock: TestClock }> {
    const clock = testClock();
    const rig = await HostRig.open({ clock });
    return { rig, clock };
  }
  const stop = (rig: HostRig, { run_id }: RunReport) =>
    rig.host.request("stop", { session: rig.session, run_id, steps: [{ signal: "SIGTERM", timeout_ms: 60_000 }] });

  test("are one event after a stop, after all output", async () => {
    const { rig } = await open();
    await using _ = rig;
    const run = await rig.spawn(spec("p", "trap 'echo bye; exit 3' TERM; echo up; while :; do sleep 0.01; done"));
    rig.watch("p");
    await rig.said("p", /up/);
    await stop(rig, run);
    const { run: end } = await rig.event(run, "exited");
    expect(end).toMatchObject({ exit: { code: 3 }, extinct: true, stopping: true });
    expect(rig.sent("p")).toContain("bye");
    expect(end.final_offset).toBe(Buffer.byteLength(rig.sent("p")));
    expect(kinds(rig, run)).toEqual(["spawned", "stopping", "exited", "extinct"]);
    expect(rig.events.map((event) => event.seq)).toEqual([1, 2, 3]);
    const { runs } = await rig.host.request("report", { session: rig.session, after: null });
    expect(runs).toMatchObject([{ name: "p", exit: { code: 3 }, extinct: true }]);
    // The next run may begin.
    expect(await rig.spawn(spec("p", "sleep 60"))).toMatchObject({ exit: null });
  });

  test("report the leader after 25 ms if the rest of its tree lives on", async () => {
    const { rig, clock } = await open();
    await using _ = rig;
    const run = await rig.spawn(spec("p", "(trap '' HUP TERM; echo up; exec sleep 60) & wait"));
    rig.watch("p");
    await rig.said("p", /up/);
    await stop(rig, run);
    const table = async () => (await rig.host.request("report", { session: rig.session, after: null })).runs[0];
    while ((await table())?.exit === null) await new Promise((resolve) => setTimeout(resolve, 5));
    clock.advance(24);
    expect(kinds(rig, run)).toEqual(["spawned", "stopping"]);
    clock.advance(1);
    expect(rig.events.at(-1)).toMatchObject({ kind: "exited", run: { exit: { signal: "SIGTERM" }, extinct: false } });
    clock.advance(60_000);
    expect((await rig.event(run, "extinct")).run).toMatchObject({ extinct: true });
  });

  test("report a crash in the turn in which it is seen, while the rest of its tree lives", async () => {
    const { rig } = await open();
    await using _ = rig;
    const run = await rig.spawn(spec("p", "sh -c 'trap \"\" HUP TERM; while :; do sleep 1; done' & exit 2"));
    const { run: end } = await rig.event(run, "exited");
    expect(end.exit).toMatchObject({ code: 2 });
    if (!end.extinct) await rig.event(run, "extinct");
    expect(rig.events.at(-1)?.run).toMatchObject({ exit: { code: 2 }, extinct: true });
  });
});

describe("commands about a run", () => {
  test("write, resize, memo and signal reach the child and the report", async () => {
    await using rig = await HostRig.open();
    const run = await rig.spawn(
      spec("p", "trap 'stty size' WINCH; trap 'echo hup' HUP; echo up; while :; do if read word; then echo \"<$word>\"; fi; done"),
    );
    const about = { session: rig.session, run_id: run.run_id };
    rig.watch("p");
    await rig.said("p", /up/);
    await rig.host.request("write", { ...about, text: "grün\n" });
    await rig.said("p", /<grün>/);
    const tail = () => rig.host.request("tail", { session: rig.session, name: "p", lines: 1 });
    const before = await tail();
    expect(before).not.toHaveProperty("resized");
    await rig.host.request("resize", { ...about, rows: 40, cols: 120 });
    await rig.host.request("write", { ...about, text: "x\n" });
    await rig.said("p", /40 120/);
    const { resized = 0, until } = await tail();
    expect([resized >= before.until, resized < until]).toEqual([true, true]);
    await rig.host.request("resize", { ...about, rows: 40, cols: 120 });
    expect(await tail()).toMatchObject({ resized });
    await rig.host.request("signal", { ...about, signal: "SIGHUP" });
    await rig.host.request("write", { ...about, text: "y\n" });
    await rig.said("p", /hup/);
    await rig.host.request("memo", { ...about, memo: "restarts: 3" });
    const report = await rig.host.request("report", { session: rig.session, after: null });
    expect(report.runs).toMatchObject([{ rows: 40, cols: 120, memo: "restarts: 3" }]);
    expect(report.seq).toBe(rig.events.at(-1)?.seq);
    expect((await refusal(rig.host.request("signal", { ...about, signal: "SIGNOPE" }))).code).toBe("bad_field");
  });

  test("are not_running once it has ended", async () => {
    await using rig = await HostRig.open();
    const run = await rig.spawn(spec("p", "exit 0"));
    await rig.event(run, "extinct");
    const about = { session: rig.session, run_id: run.run_id };
    for (const command of [
      rig.host.request("write", { ...about, text: "x" }),
      rig.host.request("signal", { ...about, signal: "SIGTERM" }),
      rig.host.request("resize", { ...about, rows: 1, cols: 1 }),
      rig.host.request("write", { session: rig.session, run_id: "9-9", text: "x" }),
    ]) {
      expect((await refusal(command)).code).toBe("not_running");
    }
  });

  test("of a wrong shape are bad_field and name the field", async () => {
    await using rig = await HostRig.open();
    const error = await refusal(rig.host.request("tail", { session: rig.session, name: "p", lines: 0 }));
    expect([error.code, error.message]).toEqual(["bad_field", expect.stringContaining("lines")]);
    expect((await refusal(rig.host.request("constructor" as "hello", {} as never))).code).toBe("unknown_action");
  });
});

describe("readiness", () => {
  test("by expression is latched, and comes before the exit", async () => {
    await using rig = await HostRig.open();
    const run = await rig.spawn(
      spec("p", "printf 'list'; printf '\\033[32mening\\033[0m'", { ready: { kind: "regex", pattern: "listening" } }),
    );
    const { run: end } = await rig.event(run, "extinct");
    expect(kinds(rig, run)).toEqual(["spawned", "ready", "exited", "extinct"]);
    expect(end.ready).toBe(true);
  });

  test("by time comes after that time; a run that ended before was never ready", async () => {
    await using rig = await HostRig.open();
    const long = await rig.spawn(spec("long", "sleep 60", { ready: { kind: "time", ms: 50 } }));
    const short = await rig.spawn(spec("short", "true", { ready: { kind: "time", ms: 600_000 } }));
    await rig.event(short, "extinct");
    await rig.event(long, "ready");
    expect(kinds(rig, short)).toEqual(["spawned", "exited", "extinct"]);
  });

  test("an expression that cannot be compiled is bad_field", async () => {
    await using rig = await HostRig.open();
    expect((await refusal(rig.spawn(spec("p", "true", { ready: { kind: "regex", pattern: "(" } })))).code).toBe("bad_field");
  });
});

describe("output", () => {
  test("is sent as far as the window allows, and its exit comes after all of it", async () => {
    await using rig = await HostRig.open();
    rig.host.window({ session: rig.session, windows: [{ name: "p", from: null, length: 1_000 }] });
    expect(rig.chunks).toEqual([{ name: "p", stream_id: rig.host.streamId, offset: 0, gap: 0, data: new Uint8Array(0) }]);
    const run = await rig.spawn(spec("p", "head -c 5000 /dev/zero | tr '\\0' x"));
    const { run: end } = await rig.event(run, "exited");
    expect(end.final_offset).toBe(5_000);
    expect(rig.sent("p")).toHaveLength(1_000);
    rig.host.window({ session: rig.session, windows: [{ name: "p", from: 1_000, length: 1_000_000 }] });
    expect(rig.sent("p")).toHaveLength(5_000);
  });

  test("offsets continue across runs; lost bytes are a gap; tail and read return the newest", async () => {
    await using rig = await HostRig.open();
    await rig.event(await rig.spawn(spec("p", "seq 1 30000", { terminal: { rows: 24, cols: 80, backlog: 65_536 } })), "extinct");
    const second = await rig.spawn(spec("p", "echo end"));
    const { run: end } = await rig.event(second, "extinct");
    rig.watch("p");
    const [gap, data] = rig.chunks;
    expect(gap).toMatchObject({ offset: 0, data: new Uint8Array(0) });
    expect(gap?.gap).toBeGreaterThan(100_000 - 65_536);
    expect(data?.offset).toBe(gap?.gap);
    expect(rig.sent("p").endsWith("29999\r\n30000\r\nend\r\n")).toBe(true);
    expect(end.first_offset).toBe((end.final_offset ?? 0) - "end\r\n".length);
    const tail = await rig.host.request("tail", { session: rig.session, name: "p", lines: 2 });
    expect(tail).toMatchObject({ pid: second.pid, until: end.final_offset, truncated: false });
    const { data: text } = await rig.host.request("read", { session: rig.session, name: "p", from: tail.from, max: 100 });
    expect(Buffer.from(text).toString()).toBe("30000\r\nend\r\n");
    expect(await rig.host.request("tail", { session: rig.session, name: "p", lines: 100_000 })).toMatchObject({
      truncated: true,
      from: gap?.gap,
    });
    expect(await rig.host.request("tail", { session: rig.session, name: "never", lines: 5 })).toMatchObject({
      pid: 0,
      from: 0,
      until: 0,
      truncated: false,
    });
  });

  test("a listener that throws does not affect others", async () => {
    await using rig = await HostRig.open();
    rig.host.listen({
      onEvent: () => {
        throw new Error("defect of a listener");
      },
    });
    await rig.event(await rig.spawn(spec("p", "exit 0")), "extinct");
    expect(rig.log).toContainEqual({ level: "error", source: "daemon", msg: "a listener of the host failed: defect of a listener" });
  });

  test("events caused by a listener reach all listeners in the same order", async () => {
    await using rig = await HostRig.open();
    const heard: string[] = [];
    const unsubscribe = rig.host.listen({
      onEvent: (event) => {
        if (event.kind === "exited") void rig.host.request("memo", { session: rig.session, run_id: event.run.run_id, memo: "noted" });
      },
    });
    rig.host.listen({ onEvent: (event) => heard.push(`${event.seq} ${event.kind}`) });
    await rig.event(await rig.spawn(spec("p", "exit 0")), "extinct");
    expect(heard).toEqual(["1 spawned", "2 exited", "3 changed", "4 extinct"]);
    unsubscribe();
  });
});

test("a report of many runs comes in pages of at most 512 KiB, in the order of names", async () => {
  await using rig = await HostRig.open();
  const names = Array.from({ length: 120 }, (_, index) => `p${`${index}`.padStart(3, "0")}`);
  for (const [index, name] of names.entries()) {
    await rig.host.request("spawn", {
      session: rig.session,
      run_id: `1-${index + 1}`,
      spec: spec(name, "exit 0"),
      memo: "ü".repeat(4_096),
    });
  }
  const found: string[] = [];
  let pages = 0;
  for (let after: string | null = null; ; pages++) {
    const page: { runs: RunReport[]; next: string | null } = await rig.host.request("report", { session: rig.session, after });
    expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(512 * 1024);
    found.push(...page.runs.map((run) => run.name));
    if (page.next === null) break;
    after = page.next;
  }
  expect(found).toEqual(names);
  expect(pages).toBeGreaterThan(0);
});
