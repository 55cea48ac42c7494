import { describe, expect, it } from "vitest";
import type { ProcessEvent } from "../../../src/actors/process/process-types.ts";
import { HostSession } from "../../../src/app/hosts/host-session.ts";
import { ProcessEffects } from "../../../src/app/processes/process-effects.ts";
import { RunExtensions } from "../../../src/app/processes/run-extension.ts";
import { MgrError } from "../../../src/base/errors.ts";
import { systemClock } from "../../../src/base/timing/clock.ts";
import { NO_SETTINGS } from "../../../src/config/state/process-settings.ts";
import type { RunSpec } from "../../../src/contract/run.ts";
import { LogBook } from "../../../src/log/log-book.ts";
import { definition } from "../../actors/support/process.ts";
import { report } from "../../support/fakes/run-reports.ts";
import { hello, IDLE_LISTENER, page, ScriptedLink, settled } from "../support/scripted-link.ts";

const SPEC = { name: "a" } as RunSpec;
const run = { definition: definition(), runId: "1-1", size: null, settings: NO_SETTINGS, memo: "", after: null };
const end = { runId: "1-1", host: null, definition: definition(), isWanted: false, cause: null };

/** Tasks over a scripted link, and what the actor of `a` was told. */
async function open({ spec = () => SPEC }: { spec?: () => RunSpec } = {}) {
  const link = new ScriptedLink();
  const nothing = () => {};
  const session = new HostSession({
    link,
    epoch: 1,
    clock: systemClock,
    listener: IDLE_LISTENER,
  });
  link.auto = (name) => (name === "hello" ? hello("s1") : name === "report" ? page(0) : undefined);
  await session.greet().then(() => session.deliver());
  const received: ProcessEvent[] = [];
  let save = () => {};
  const saved = new Promise<void>((resolve) => {
    save = resolve;
  });
  const effects = new ProcessEffects({
    waits: { dependentsStopped: () => Promise.resolve([]) },
    clock: systemClock,
    log: new LogBook({ capacity: 10, now: Date.now }),
    processTable: { hostName: "bench" },
    hosts: { session: () => session, startTurn: () => Promise.resolve() },
    hub: { hasMoved: nothing },
    intents: { get: () => ({}), set: nothing, flush: () => saved },
    mayStart: () => true,
    runs: new RunExtensions(),
    runSpec: spec,
    send: (_name, event) => received.push(event),
  });
  return { effects, link, received, save, [Symbol.dispose]: () => session.close() };
}

describe("a request of a process to its host", () => {
  it("is sent once its intent is saved, and answered with the run", async () => {
    using rig = await open();
    rig.effects.handle("a", { type: "spawn", run });
    await settled();
    expect(rig.link.asked).toEqual([]);
    rig.save();
    await expect.poll(() => rig.link.asked.length).toBe(1);
    await rig.link.next("spawn").answer({ run: report("1-1") });
    expect(rig.received).toEqual([{ type: "run.spawned", run: report("1-1") }]);
  });

  it("is neither sent nor answered once it is aborted, or its actor has ended", async () => {
    for (const abandon of [
      (effects: ProcessEffects) => effects.handle("a", { type: "abandon" }),
      (effects: ProcessEffects) => effects.end("a"),
    ]) {
      using rig = await open();
      rig.effects.handle("a", { type: "spawn", run });
      abandon(rig.effects);
      // A later request passes it: it had its chance to be sent.
      rig.effects.handle("b", { type: "spawn", run: { ...run, runId: "1-2" } });
      rig.save();
      await expect.poll(() => rig.link.asked.length).toBe(1);
      const only = rig.link.next("spawn");
      expect(only.request.run_id).toBe("1-2");
      await only.answer({ run: report("1-2") });
      expect(rig.received).toEqual([{ type: "run.spawned", run: report("1-2") }]);
    }
  });

  it("is not answered if it is aborted after it was sent", async () => {
    using rig = await open();
    rig.save();
    rig.effects.handle("a", { type: "spawn", run });
    await expect.poll(() => rig.link.asked.length).toBe(1);
    rig.effects.handle("a", { type: "abandon" });
    await rig.link.next("spawn").answer({ run: report("1-1") });
    await settled();
    expect(rig.received).toEqual([]);
  });

  it("fails with the host's error, and with the reason why its program cannot be resolved", async () => {
    using rig = await open();
    rig.save();
    rig.effects.handle("a", { type: "spawn", run });
    await expect.poll(() => rig.link.asked.length).toBe(1);
    const refusal = new MgrError("spawn_failed", "no such program");
    await rig.link.next("spawn").refuse(refusal);
    expect(rig.received).toEqual([{ type: "spawn.failed", error: refusal }]);

    const defect = new Error("no user of that name");
    using other = await open({
      spec: () => {
        throw defect;
      },
    });
    other.effects.handle("a", { type: "spawn", run });
    await expect.poll(() => other.received).toEqual([{ type: "spawn.failed", error: defect }]);
  });
});

describe("a stop", () => {
  it("is not sent twice while it is under way, but again once the host has accepted it", async () => {
    using rig = await open();
    rig.save();
    rig.effects.handle("a", { type: "stop_run", run: end });
    rig.effects.handle("a", { type: "stop_run", run: end });
    await expect.poll(() => rig.link.asked.length).toBe(1);
    await rig.link.next("stop").answer({});
    await settled();
    expect([rig.link.asked, rig.received]).toEqual([[], []]);
    rig.effects.handle("a", { type: "stop_run", run: end });
    await expect.poll(() => rig.link.asked.length).toBe(1);
    await rig.link.next("stop").refuse(new MgrError("not_running", "no such run"));
    await expect.poll(() => rig.received).toEqual([{ type: "stop.gone" }]);
  });

  it("replaces the start before it", async () => {
    using rig = await open();
    rig.effects.handle("a", { type: "spawn", run });
    rig.effects.handle("a", { type: "stop_run", run: end });
    rig.save();
    await expect.poll(() => rig.link.asked.length).toBe(1);
    expect(rig.link.asked[0]?.name).toBe("stop");
  });

  it("that ends with an answer that is not allowed is a defect, which is reported to the actor", async () => {
    using rig = await open();
    rig.save();
    rig.effects.handle("a", { type: "stop_run", run: end });
    await expect.poll(() => rig.link.asked.length).toBe(1);
    const defect = new TypeError("a defect");
    await rig.link.next("stop").refuse(defect);
    await expect.poll(() => rig.received).toEqual([{ type: "effect.failed", error: defect }]);
  });
});
