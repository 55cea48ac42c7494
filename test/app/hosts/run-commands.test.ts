import { afterEach, describe, expect, it } from "vitest";
import { DependenciesLost } from "../../../src/actors/process/process-types.ts";
import { HostSession } from "../../../src/app/hosts/host-session.ts";
import { spawnRun, stopRun } from "../../../src/app/hosts/run-commands.ts";
import { MgrError } from "../../../src/base/errors.ts";
import { CancellationSource } from "../../../src/base/timing/cancellation.ts";
import { systemClock } from "../../../src/base/timing/clock.ts";
import type { RunSpec } from "../../../src/contract/run.ts";
import { testClock } from "../../actors/support/clock.ts";
import { report } from "../../support/fakes/run-reports.ts";
import { hello, IDLE_LISTENER, page, ScriptedLink, stale } from "../support/scripted-link.ts";

const open: HostSession[] = [];
afterEach(() => {
  for (const session of open.splice(0)) session.close();
});

async function rig() {
  const link = new ScriptedLink();
  const stopping: string[] = [];
  const session: HostSession = new HostSession({
    link,
    epoch: 1,
    clock: testClock(),
    listener: {
      ...IDLE_LISTENER,
      onStopping: ({ run_id }) => void stopping.push(run_id),
      onStale: () => void greet(),
    },
  });
  open.push(session);
  let greetings = 0;
  link.auto = (name) => (name === "hello" ? hello(`s${++greetings}`) : name === "report" ? page(0) : undefined);
  const greet = () => session.greet().then(() => session.deliver());
  await greet();
  return { link, session, stopping };
}

/** The next request, which may come only after the pause between two attempts. */
async function next(link: ScriptedLink, name: "spawn" | "stop" | "stop_runs") {
  await expect.poll(() => link.asked.length).toBeGreaterThan(0);
  return link.next(name);
}

// Only its identity matters: the scripted host looks at nothing.
const spec = { name: "a" } as RunSpec;
const never = new CancellationSource();

describe("spawning", () => {
  it("sends the same run_id, spec and memo again until the host answers, in the current session", async () => {
    const { link, session } = await rig();
    const spawned = spawnRun({ session, clock: systemClock }, { runId: "1-1", spec, memo: "m", stillHold: () => true }, never);
    const first = await next(link, "spawn");
    await first.refuse(new MgrError("timeout", "no answer"));
    const second = await next(link, "spawn");
    await second.refuse(stale());
    const third = await next(link, "spawn");
    const run = report("1-1");
    await third.answer({ run });
    expect(await spawned).toBe(run);
    expect(first.request).toEqual({ session: "s1", run_id: "1-1", spec, memo: "m" });
    expect(second.request).toEqual(first.request);
    expect(third.request).toEqual({ ...first.request, session: "s2" });
    expect(third.request.spec).toBe(spec);
  });

  it("sends nothing if a dependency is lost before, but asks again for what was sent", async () => {
    const { link, session } = await rig();
    let holds = false;
    const stillHold = () => holds;
    const begin = (runId: string) => spawnRun({ session, clock: systemClock }, { runId, spec, memo: "", stillHold }, never);
    await expect(begin("1-1")).rejects.toThrow(DependenciesLost);
    expect(link.asked).toEqual([]);
    holds = true;
    const sent = begin("1-2");
    const first = await next(link, "spawn");
    holds = false;
    await first.refuse(new MgrError("timeout", "no answer"));
    await (await next(link, "spawn")).answer({ run: report("1-2") });
    expect((await sent).run_id).toBe("1-2");
  });

  it("waits while the tree of another run lives, or the host is away", async () => {
    const { link, session } = await rig();
    const spawned = spawnRun({ session, clock: systemClock }, { runId: "1-1", spec, memo: "", stillHold: () => true }, never);
    await (await next(link, "spawn")).refuse(new MgrError("conflict", "its last run lives"));
    await (await next(link, "spawn")).refuse(new MgrError("host_unavailable", "away"));
    await (await next(link, "spawn")).answer({ run: report("1-1") });
    await expect(spawned).resolves.toMatchObject({ run_id: "1-1" });
  });

  it.each(["spawn_failed", "bad_field", "forbidden", "internal"] as const)("gives up on %s, with the host's sentence", async (code) => {
    const { link, session } = await rig();
    const spawned = spawnRun({ session, clock: systemClock }, { runId: "1-1", spec, memo: "", stillHold: () => true }, never);
    const rejected = expect(spawned).rejects.toMatchObject({ code, message: "no such program" });
    await (await next(link, "spawn")).refuse(new MgrError(code, "no such program"));
    await rejected;
  });

  it("ends with its actor, also in the pause between two attempts, and sends nothing more", async () => {
    const { link, session } = await rig();
    const actor = new CancellationSource();
    const spawned = spawnRun({ session, clock: systemClock }, { runId: "1-1", spec, memo: "", stillHold: () => true }, actor);
    const rejected = expect(spawned).rejects.toThrow("no longer wanted");
    await (await next(link, "spawn")).refuse(new MgrError("timeout", "no answer"));
    actor.cancel();
    await rejected;
    expect(link.asked).toEqual([]);
  });
});

describe("stopping", () => {
  const steps = [{ signal: "SIGTERM", timeout_ms: 1_000 }];

  it("is sent again until the host accepts it", async () => {
    const { link, session } = await rig();
    const stopped = stopRun({ session, clock: systemClock }, { runId: "1-1", steps }, never);
    await (await next(link, "stop")).refuse(new MgrError("timeout", "no answer"));
    const again = await next(link, "stop");
    expect(again.request).toEqual({ session: "s1", run_id: "1-1", steps });
    await again.answer({});
    expect(await stopped).toBe("accepted");
  });

  it("reports the run as gone if the host does not know it", async () => {
    const { link, session } = await rig();
    const stopped = stopRun({ session, clock: systemClock }, { runId: "1-1", steps }, never);
    await (await next(link, "stop")).refuse(new MgrError("not_running", "no such run"));
    expect(await stopped).toBe("gone");
  });

  it("fails for a defect, not for a refusal", async () => {
    const { link, session } = await rig();
    const stopped = stopRun({ session, clock: systemClock }, { runId: "1-1", steps }, never);
    const rejected = expect(stopped).rejects.toThrow(TypeError);
    await (await next(link, "stop")).refuse(new TypeError("a defect"));
    await rejected;
  });

  it("of one turn are one request, and each has its own answer", async () => {
    const { link, session, stopping } = await rig();
    const stop = (runId: string) => stopRun({ session, clock: systemClock }, { runId, steps }, never);
    const stopped = [stop("1-1"), stop("1-2"), stop("1-3")];
    const asked = await next(link, "stop_runs");
    expect(asked.request).toEqual({ session: "s1", stops: ["1-1", "1-2", "1-3"].map((run_id) => ({ run_id, steps })) });
    expect(link.asked).toEqual([]);
    await asked.answer({
      refused: [
        { run_id: "1-2", code: "not_running", message: "no such run" },
        { run_id: "1-3", code: "busy", message: "not now" },
      ],
    });
    await (await next(link, "stop")).answer({});
    expect(await Promise.all(stopped)).toEqual(["accepted", "gone", "accepted"]);
    // The third one was accepted by a request of its own, which an event follows.
    expect(stopping).toEqual(["1-1"]);
  });

  it("are sent one by one to a host that refuses them together", async () => {
    const { link, session } = await rig();
    const stopped = ["1-1", "1-2"].map((runId) => stopRun({ session, clock: systemClock }, { runId, steps }, never));
    await (await next(link, "stop_runs")).refuse(new MgrError("unknown_action", "its version is older"));
    for (const run_id of ["1-1", "1-2"]) {
      const asked = await next(link, "stop");
      expect(asked.request).toEqual({ session: "s1", run_id, steps });
      await asked.answer({});
    }
    expect(await Promise.all(stopped)).toEqual(["accepted", "accepted"]);
  });

  it("are all sent again if their answer is lost", async () => {
    const { link, session } = await rig();
    const stopped = ["1-1", "1-2"].map((runId) => stopRun({ session, clock: systemClock }, { runId, steps }, never));
    await (await next(link, "stop_runs")).refuse(new MgrError("timeout", "no answer"));
    for (const run_id of ["1-1", "1-2"]) {
      const again = await next(link, "stop");
      expect(again.request).toMatchObject({ run_id });
      await again.answer({});
    }
    expect(await Promise.all(stopped)).toEqual(["accepted", "accepted"]);
  });
});
