import { join } from "node:path";
import { messageOf } from "../../../base/errors.ts";
import { compileFnmatch } from "../../../base/patterns/fnmatch.ts";
import { ThrottledWarning } from "../../../base/throttled-warning.ts";
import { specHash } from "../../../contract/run.ts";
import type { ChangedRun, HostFeature } from "../../../daemon/host-feature.ts";
import { loadHistoryHost } from "../../load-history/host/index.ts";
import type { CRASH_REPORT_REQUESTS } from "../contract.ts";
import { Backtraces } from "./backtrace.ts";
import { Collector } from "./collector.ts";
import type { Crash } from "./crash.ts";
import { CrashThrottle } from "./crash-throttle.ts";
import { Failures } from "./failure.ts";
import { KernelLog } from "./kernel-log.ts";
import { loadBefore } from "./load-before.ts";
import { ReportStore } from "./report-store.ts";
import { oomKillsIn, type SeenRun, SeenRuns } from "./seen-runs.ts";

export { Failures } from "./failure.ts";

/** Characters of a report's JSON in one row of an answer: a row of control characters is six times as long in its page. */
const PART_CHARACTERS = 32 * 1024;

/** Keeps a report of each run that failed. */
export const crashReportsHost: HostFeature<keyof typeof CRASH_REPORT_REQUESTS> = {
  begin({ host, clock, folders, lists, output, log, publish, use }) {
    const store = new ReportStore({ folder: folders && join(folders.state, "crash-reports"), log });
    const begun = store.begin();
    const kernel = new KernelLog();
    const backtraces = new Backtraces();
    const seenRuns = new SeenRuns(clock);
    const failures = new Failures();
    const problems = new ThrottledWarning(log);
    const collector = new Collector({
      host,
      rings: output.rings,
      load: loadBefore(use(loadHistoryHost)),
      kernel,
      backtraces,
      store,
      made: (report) => publish("crash_report", report),
    });
    const throttle = new CrashThrottle<Crash>(clock, (crash, skipped) => {
      collector.collect(crash, skipped).catch((error: unknown) => {
        throttle.notMade(crash.spec.name, skipped);
        problems.warn(`no crash report of '${crash.spec.name}' was made: ${messageOf(error)}`, [crash.spec.name]);
      });
    });
    return {
      service: null,
      handlers: {
        crash_reports: async ({ names, pattern, limit }) => {
          await begun;
          const requested = new Set(names);
          const matches = pattern === null ? () => false : compileFnmatch(pattern);
          return lists.pages.of(await store.list((name) => requested.has(name) || matches(name), limit));
        },
        crash_report: async ({ name, run_id }) => {
          await begun;
          const report = await store.read(name, run_id);
          return lists.pages.of(report === null ? [] : partsOf(JSON.stringify(report)));
        },
        delete_crash_reports: async ({ name, run_ids }) => {
          await begun;
          return { deleted: await store.remove(name, run_ids) };
        },
      },
      startFailed: (runId, spec, reason) => {
        const never = { pid: null, startTime: null, code: null, signal: null, dumpedCore: false, output: null, seen: null };
        const oom = { oom_kills: null, oom_problem: null };
        throttle.crashed(spec.name, { runId, spec, specHash: specHash(spec), endTime: clock.now(), reason, oom, ...never });
      },
      runChanged: (kind, run) => {
        if (kind === "spawned") seenRuns.begun(run.report.run_id, run.report.pid, { hasLimits: Object.keys(run.spec.limits).length > 0 });
        const failure = failures.changed(kind, run);
        if (kind !== "exited") return;
        const seen = seenRuns.take(run.report.run_id);
        if (failure !== null) throttle.crashed(run.report.name, crashOf(run, { seen, reason: failure === "" ? null : failure }));
      },
      close: async () => {
        throttle.close();
        seenRuns.close();
        const collected = collector.close();
        backtraces.close();
        await collected;
        kernel.close();
        await begun;
        await store.close();
      },
    };
  },
};

function crashOf({ report, spec, dumpedCore }: ChangedRun, { seen, reason }: { seen: SeenRun | null; reason: string | null }): Crash {
  return {
    runId: report.run_id,
    spec,
    specHash: report.spec_hash,
    pid: report.pid,
    startTime: report.start_time,
    endTime: report.stop_time ?? Date.now(),
    code: report.exit?.code ?? null,
    signal: report.exit?.signal ?? null,
    reason,
    dumpedCore,
    output: { from: report.first_offset, until: report.final_offset ?? report.first_offset },
    seen,
    oom: oomOf(seen),
  };
}

function oomOf(seen: SeenRun | null): Crash["oom"] {
  const none = (oom_problem: string) => ({ oom_kills: null, oom_problem });
  if (seen?.cgroup == null) return none("its cgroup is not known: there is no cgroup v2, or it ran for less than a second");
  const { folder, oomKills } = seen.cgroup;
  const now = oomKillsIn(folder);
  if (now === null || oomKills === null) return none(`${folder}/memory.events does not count them`);
  return { oom_kills: Math.max(0, now - oomKills), oom_problem: null };
}

function* partsOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += PART_CHARACTERS) yield text.slice(at, at + PART_CHARACTERS);
}
