import fc from "fast-check";
import { expect, test } from "vitest";
import type { ProcessEvent } from "../../src/actors/process/process-types.ts";
import type { RunReport } from "../../src/contract/run.ts";
import type { ProcessState } from "../../src/protocol/resources/resources.ts";
import { report } from "../support/fakes/run-reports.ts";
import { definition, ProcessRig, settle } from "./support/process.ts";

/** A host that does what hosts do, in any order that is possible, and tells it late, twice or not at all. */
class ScriptedHost {
  /** Every run it was asked for, newest last. */
  readonly runs: RunReport[] = [];
  readonly rig: ProcessRig;
  constructor(rig: ProcessRig) {
    this.rig = rig;
  }

  get newest(): RunReport | undefined {
    return this.runs.at(-1);
  }
  change(changes: Partial<RunReport>): void {
    const run = this.runs.pop();
    if (run) this.runs.push({ ...run, ...changes });
  }
  /** The table as it is now. */
  spawnIfAsked(): void {
    const asked = this.rig.spawns.at(-1);
    if (!this.rig.spawning || !asked || this.runs.some((run) => run.run_id === asked.runId)) return;
    this.runs.push(report(asked.runId, { memo: asked.memo }));
  }
}

type Step = { label: string; act: (rig: ProcessRig, host: ScriptedHost) => void };

const notify = (label: string, event: ProcessEvent): Step => ({ label, act: (rig) => rig.send(event) });
const news = (type: "run.spawned" | "run.ready" | "run.exited" | "run.extinct"): Step => ({
  label: type,
  act: (rig, host) => host.newest && rig.send({ type, run: host.newest }),
});
const end = (code: number): Step => ({
  label: `ends with ${code}`,
  act: (_rig, host) => {
    if (host.newest && !host.newest.exit) host.change({ exit: { code, signal: null, reason: null } });
  },
});

const steps: Step[] = [
  notify("start", { type: "start", by: "ann" }),
  notify("stop", { type: "stop", by: "ann" }),
  notify("restart", { type: "restart", by: "ann" }),
  notify("host.lost", { type: "host.lost" }),
  notify("watched file", { type: "files.changed", path: "/src/a.js" }),
  notify("liveness", { type: "liveness.failed", reason: "silent" }),
  { label: "recycle", act: (rig) => rig.send({ type: "recycle", runId: rig.context.runId ?? "", reason: "too much memory" }) },
  notify("winch", { type: "winch", rows: 10, cols: 10 }),
  notify("definition", { type: "definition", definition: definition({ restart: { policy: "always" } }) }),
  notify("stale report", { type: "report", run: report("0-1") }),
  notify("stale exit", { type: "run.exited", run: report("0-1", { exit: { code: 0, signal: null, reason: null } }) }),
  news("run.spawned"),
  news("run.ready"),
  news("run.exited"),
  news("run.extinct"),
  end(0),
  end(1),
  { label: "host spawns", act: (_rig, host) => host.spawnIfAsked() },
  { label: "spawn answered", act: (rig, host) => host.newest && rig.spawning?.resolve(host.newest) },
  { label: "spawn fails", act: (rig) => rig.spawning?.reject(new Error("no such file")) },
  {
    label: "stop accepted",
    act: (rig, host) => {
      if (!rig.stopping || host.newest?.extinct) return;
      host.change({ stopping: true });
      rig.stopping.resolve("accepted");
    },
  },
  { label: "stop: gone", act: (rig, host) => (host.newest?.extinct ?? true) && rig.stopping?.resolve("gone") },
  { label: "ready", act: (_rig, host) => host.newest && !host.newest.exit && host.change({ ready: true }) },
  { label: "extinct", act: (_rig, host) => host.newest?.exit && host.change({ extinct: true }) },
  { label: "report", act: (rig, host) => rig.send({ type: "report", run: host.newest ?? null }) },
  {
    label: "daemon dies",
    act: (rig, host) => {
      host.runs.length = 0;
      rig.send({ type: "host.died" });
    },
  },
  {
    label: "dependencies missing",
    act: (rig) => {
      rig.dependenciesHold = false;
      rig.watching?.({ type: "dependencies", missing: ["db"], impossible: null });
    },
  },
  {
    label: "dependencies hold",
    act: (rig) => {
      rig.dependenciesHold = true;
      rig.watching?.({ type: "dependencies", missing: [], impossible: null });
    },
  },
  { label: "dependencies hopeless", act: (rig) => rig.watching?.({ type: "dependencies", missing: ["db"], impossible: "db failed" }) },
  { label: "0.5 s", act: (rig) => rig.clock.advance(500) },
  { label: "90 s", act: (rig) => rig.clock.advance(90_000) },
];

const definitions = [
  definition(),
  definition({ restart: { policy: "on-failure", max_restarts: 3 } }),
  definition({ restart: { policy: "always" }, ready: { kind: "time", ms: 10 }, ready_timeout: 2_000 }),
];

test("whatever happens, in whatever order, the invariants of docs/decisions/0001-process-invariants.md hold", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...definitions),
      fc.constantFrom("start" as const, "stop" as const),
      fc.array(fc.record({ step: fc.constantFrom(...steps), pause: fc.boolean() }), { maxLength: 40 }),
      async (chosen, requested, script) => {
        const rig = new ProcessRig({ definition: chosen, requested });
        const host = new ScriptedHost(rig);
        let shown: ProcessState = "stopped";
        let isFirst = true;
        rig.actor.on("changed", (event) => {
          // 5: one `changed` a change, chained, and true at its time.
          expect(event.from).toBe(shown);
          expect(event.to).not.toBe(shown);
          expect(event.to).toBe(rig.context.shown);
          shown = event.to;
          isFirst = false;
        });
        rig.actor.on("adopted", (event) => {
          // Nothing was told before it.
          expect(isFirst).toBe(true);
          isFirst = false;
          expect(event.state).toBe(rig.context.shown);
          shown = event.state;
        });
        for (const { step, pause } of script) {
          const spawnsBefore = rig.spawns.length;
          const before = rig.context;
          step.act(rig, host);
          if (pause) await settle();
          check(rig, before, spawnsBefore);
        }
        rig.actor.stop();
      },
    ),
    { numRuns: 400 },
  );
});

function check(rig: ProcessRig, before: ProcessRig["context"], spawnsBefore: number): void {
  const { context, state } = rig;
  // 1: nothing throws.
  expect(rig.error).toBeNull();
  // 2: a new run only when nothing of the one before is left, and never the same id twice.
  expect(new Set(rig.spawns.map((spawn) => spawn.runId)).size).toBe(rig.spawns.length);
  if (rig.spawns.length > spawnsBefore && context.run !== null && context.run.run_id !== context.runId) {
    expect(context.run.extinct || context.runGone || before.runGone).toBe(true);
  }
  // 3: a requested stop never rests in, or leads to, another start.
  if (context.requested === "stop") expect(["stopped", "stopping", "error"]).toContain(state);
  // 4: whoever waits has something to wait for.
  const value = rig.actor.getSnapshot().value;
  if (state === "waiting") expect(rig.watching).not.toBeNull();
  // Once its host is lost, the host decides: a time that is over then waits for the host's report.
  if (state === "backoff" && !context.isFrozen) expect(context.nextStart?.monotonic).toBeGreaterThanOrEqual(rig.clock.monotonic());
  if (JSON.stringify(value).includes("spawning")) expect(rig.spawning).not.toBeNull();
  if (JSON.stringify(value).includes("asking")) expect(rig.stopping).not.toBeNull();
  if (JSON.stringify(value).includes("clearing")) expect(context.run?.extinct).toBe(false);
  // 6: what is shown as running is a run that the host has reported alive.
  if (value !== "unknown" && (state === "started" || state === "ready")) expect(context.run?.run_id).toBe(context.runId);
}
