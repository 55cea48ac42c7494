import { readFileSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import type { StopStep } from "../../../src/contract/run.ts";
import { isAlive, startTimeOf } from "../../../src/daemon/proc/proc.ts";
import { ShiftedClock } from "../../support/fakes/shifted-clock.ts";
import { HostRig, spec } from "../support/hosts.ts";

const command = (line: string, timeout_ms: number): StopStep => ({ program: { kind: "shell", line }, timeout_ms });
const stop = (rig: HostRig, run: { run_id: string }, ...steps: StopStep[]) =>
  rig.host.request("stop", { session: rig.session, run_id: run.run_id, steps });
/** Ends only when it is asked in the way that `line` knows. */
const stubborn = (line: string) => `trap '' TERM HUP INT; echo up; ${line}`;
const LOOP = "while :; do sleep 0.01; done";

describe("a stop by command", () => {
  test("runs it with the process's environment and the leader's pid, and waits for the end", async () => {
    await using rig = await HostRig.open();
    const run = await rig.spawn(spec("p", `trap 'echo bye; exit 5' USR2; ${stubborn(LOOP)}`, { environment: { SIGNAL: "USR2" } }));
    rig.watch("p");
    await rig.said("p", /up/);
    await stop(rig, run, command('kill -"$SIGNAL" "$MGR_PID"', 60_000));
    expect((await rig.event(run, "extinct")).run.exit).toMatchObject({ code: 5 });
    expect(rig.sent("p")).toContain("bye");
  });

  test("that does not end the process in time is ended, and the next step follows; SIGKILL comes after the last", async () => {
    const clock = new ShiftedClock();
    await using rig = await HostRig.open({ clock, isDirect: true });
    const run = await rig.spawn(spec("p", stubborn(LOOP)));
    rig.watch("p");
    await rig.said("p", /up/);
    await stop(rig, run, command("echo $$ > /tmp/mgr-stop-$MGR_PID; exec sleep 600", 600_000), { signal: "SIGTERM", timeout_ms: 100 });
    const said = () => readFileSync(`/tmp/mgr-stop-${run.pid}`, "utf8");
    await expect.poll(said).toMatch(/^\d+\n$/);
    const pid = Number(said());
    const startTime = startTimeOf(pid) ?? "none";
    expect(isAlive(pid, startTime)).toBe(true);
    clock.pass(600_000);
    expect((await rig.event(run, "extinct")).run.exit).toMatchObject({ signal: "SIGKILL" });
    await rm(`/tmp/mgr-stop-${run.pid}`);
    expect(isAlive(pid, startTime)).toBe(false);
  });

  test("that fails is reported, and the next step follows at once", async () => {
    await using rig = await HostRig.open();
    const run = await rig.spawn(spec("p", "exec sleep 60"));
    await stop(rig, run, command("exit 3", 60_000), { signal: "SIGTERM", timeout_ms: 60_000 });
    expect((await rig.event(run, "extinct")).run.exit).toMatchObject({ signal: "SIGTERM" });
    const missing = await rig.spawn(spec("q", "exec sleep 60"));
    await stop(
      rig,
      missing,
      { program: { kind: "exec", argv: ["no-such-program"] }, timeout_ms: 60_000 },
      { signal: "SIGTERM", timeout_ms: 60_000 },
    );
    await rig.event(missing, "extinct");
    expect(rig.log.filter((entry) => entry.level === "warning").map((entry) => entry.msg)).toEqual([
      `the stop of 'p' (pid ${run.pid}) continues with its next step: its command failed: it ended with code 3`,
      expect.stringContaining("its command failed: there is no program 'no-such-program'"),
    ]);
  });

  test("may finish its own work after the leader has ended", async () => {
    await using rig = await HostRig.open();
    const run = await rig.spawn(spec("p", "exec sleep 60"));
    await stop(rig, run, command("kill $MGR_PID; sleep 0.3; echo done > /tmp/mgr-after-$MGR_PID", 60_000));
    await rig.event(run, "extinct");
    expect(await readFile(`/tmp/mgr-after-${run.pid}`, "utf8")).toBe("done\n");
    await rm(`/tmp/mgr-after-${run.pid}`);
    expect(rig.log.filter((entry) => entry.level === "warning")).toEqual([]);
  });

  test("is replaced by a stop with other steps", async () => {
    await using rig = await HostRig.open();
    const run = await rig.spawn(spec("p", stubborn(LOOP)));
    rig.watch("p");
    await rig.said("p", /up/);
    await stop(rig, run, command("sleep 60", 60_000));
    await stop(rig, run, { signal: "SIGKILL", timeout_ms: 5_000 });
    expect((await rig.event(run, "extinct")).run.exit).toMatchObject({ signal: "SIGKILL" });
  });
});

test("a stop by a real-time signal sends just that one", async () => {
  await using rig = await HostRig.open();
  const argv = ["bash", "-c", `trap 'exit 7' RTMIN+3; echo up; ${LOOP}`];
  const run = await rig.spawn(spec("p", "", { program: { kind: "exec", argv } }));
  rig.watch("p");
  await rig.said("p", /up/);
  await stop(rig, run, { signal: "SIGRTMIN+3", timeout_ms: 60_000 }, { signal: "SIGKILL", timeout_ms: 60_000 });
  expect((await rig.event(run, "extinct")).run.exit).toMatchObject({ code: 7 });
});

describe("a stop by text", () => {
  test("types it into the terminal: Ctrl-C is the terminal's SIGINT, a word is read", async () => {
    await using rig = await HostRig.open();
    const interrupted = await rig.spawn(spec("p", "echo up; exec sleep 60"));
    rig.watch("p");
    await rig.said("p", /up/);
    await stop(rig, interrupted, { send: "\x03", timeout_ms: 60_000 });
    expect((await rig.event(interrupted, "extinct")).run.exit).toMatchObject({ signal: "SIGINT" });
    const asked = await rig.spawn(spec("q", stubborn('read word; [ "$word" = quit ] && exit 4')));
    rig.watch("q");
    await rig.said("q", /up/);
    await stop(rig, asked, { send: "quit\n", timeout_ms: 60_000 });
    expect((await rig.event(asked, "extinct")).run.exit).toMatchObject({ code: 4 });
  });

  test("reaches a process that was stopped (SIGSTOP)", async () => {
    await using rig = await HostRig.open();
    const run = await rig.spawn(spec("p", "echo up; read word; exit 6"));
    rig.watch("p");
    await rig.said("p", /up/);
    await rig.host.request("signal", { session: rig.session, run_id: run.run_id, signal: "SIGSTOP" });
    await stop(rig, run, { send: "x\n", timeout_ms: 60_000 });
    expect((await rig.event(run, "extinct")).run.exit).toMatchObject({ code: 6 });
  });
});
