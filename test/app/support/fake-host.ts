import { MgrError } from "../../../src/base/errors.ts";
import type { HostEvent, HostRequestName } from "../../../src/contract/messages.ts";
import type { RunReport, RunSpec } from "../../../src/contract/run.ts";
import type { Stop } from "../../../src/contract/stops.ts";
import { report } from "../../support/fakes/run-reports.ts";
import { hello, page, ScriptedLink } from "./scripted-link.ts";

interface FakeRun {
  report: RunReport;
  spec: RunSpec;
}

/** A host that runs nothing: spawns succeed at once, and runs end when the test says so. It notes what no host may be asked. */
export class FakeHost extends ScriptedLink {
  readonly runs = new Map<string, FakeRun>();
  readonly violations: string[] = [];
  /** Called for each spawn, before its answer. */
  onSpawn: (spec: RunSpec) => void = () => {};
  /** Called for each stop of a run that lives. */
  onStop: (name: string) => void = () => {};
  /** The next spawn fails for this reason. */
  failNextSpawn: string | null = null;
  readonly #now: () => number;
  #seq = 0;
  #pids = 100;

  constructor(now: () => number) {
    super();
    this.#now = now;
    this.auto = (name, request) => this.#answer(name, request);
  }

  beatNow(): void {
    this.beat({ seq: this.#seq });
  }

  /** The leader ends, and nothing of its tree is left. False if nothing of that name lives. */
  end(name: string, how: { code: number | null; signal: string | null }): boolean {
    const run = this.runs.get(name);
    if (run === undefined || run.report.extinct) return false;
    this.endLeader(name, how);
    this.#change(run, "extinct", { extinct: true });
    return true;
  }

  /** The leader ends, and something of its tree lives on until `end`. */
  endLeader(name: string, how: { code: number | null; signal: string | null }): void {
    const run = this.runs.get(name);
    if (run && !run.report.exit) this.#change(run, "exited", { exit: { ...how, reason: null }, stop_time: this.#now(), final_offset: 0 });
  }

  becomeReady(name: string): void {
    const run = this.runs.get(name);
    if (run && !run.report.exit && !run.report.ready) this.#change(run, "ready", { ready: true });
  }

  #answer(name: HostRequestName, request: Record<string, unknown>): unknown {
    if (name === "hello") return { ...hello(), seq: this.#seq };
    if (name === "report")
      return page(
        this.#seq,
        [...this.runs.values()].map(({ report }) => report),
      );
    if (name === "spawn") return this.#spawn(String(request.run_id), request.spec as RunSpec, String(request.memo));
    if (name === "stop") return this.#stop(String(request.run_id));
    if (name === "stop_runs") return this.#stopMany(request.stops as readonly Stop[]);
    return {};
  }

  #spawn(run_id: string, spec: RunSpec, memo: string): { run: RunReport } | Error {
    this.onSpawn(spec);
    const before = this.runs.get(spec.name);
    if (before?.report.run_id === run_id) return { run: before.report };
    if (before && !before.report.extinct) this.violations.push(`${spec.name} is spawned while run ${before.report.run_id} lives`);
    const reason = this.failNextSpawn;
    this.failNextSpawn = null;
    if (reason !== null) return new MgrError("spawn_failed", reason);
    const run = {
      report: report(run_id, {
        name: spec.name,
        pid: ++this.#pids,
        start_time: this.#now(),
        rows: spec.terminal.rows,
        cols: spec.terminal.cols,
        memo,
      }),
      spec,
    };
    this.runs.set(spec.name, run);
    this.#change(run, "spawned", {});
    return { run: run.report };
  }

  #stop(run_id: string): object {
    const run = [...this.runs.values()].find(({ report }) => report.run_id === run_id);
    if (run === undefined || run.report.extinct) return new MgrError("not_running", "it is over");
    this.onStop(run.spec.name);
    if (!run.report.stopping) this.#change(run, "stopping", { stopping: true });
    return {};
  }

  /** Without an event, as every host does. */
  #stopMany(stops: readonly Stop[]): object {
    const refused = stops.flatMap(({ run_id }) => {
      const run = [...this.runs.values()].find(({ report }) => report.run_id === run_id);
      if (run === undefined || run.report.extinct) return [{ run_id, code: "not_running", message: "it is over" }];
      run.report = { ...run.report, stopping: true };
      this.onStop(run.spec.name);
      return [];
    });
    return { refused };
  }

  #change(run: FakeRun, kind: HostEvent["kind"], changes: Partial<RunReport>): void {
    run.report = { ...run.report, ...changes };
    const event: HostEvent = { seq: ++this.#seq, kind, run: run.report };
    // As every host does: never from within the request that brought it about.
    queueMicrotask(() => this.event(event));
  }
}
