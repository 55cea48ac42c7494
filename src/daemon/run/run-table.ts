import { z } from "zod";
import { MgrError } from "../../base/errors.ts";
import { runId } from "../../contract/fields.ts";
import type { ResponseOf } from "../../contract/messages.ts";
import type { RunReport } from "../../contract/run.ts";
import { compareRunIds } from "../../contract/run-ids.ts";

/** Largest page of a report, bytes of JSON: below MAX_MESSAGE_BYTES with room for its envelope. */
const PAGE_BYTES = 400 * 1024;

const FINAL_CODES = ["spawn_failed", "bad_field"] as const;

/** The part of a run that the table uses, which may be a scripted run (testing/fake-run.ts). */
interface TableRun {
  readonly id: string;
  readonly pid: number;
  readonly spec: { readonly name: string };
  readonly isExtinct: boolean;
  readonly report: RunReport;
}

/** The result of the newest spawn of a name. */
type Outcome<R> = { runId: string; run: R } | { runId: string; failure: unknown } | { runId: string; pending: Promise<R> };

/** Starts that failed for good, by name: not the runs. */
export const failedStarts = z.array(z.object({ name: z.string(), run_id: runId, code: z.enum(FINAL_CODES), message: z.string() }));
export type FailedStarts = z.infer<typeof failedStarts>;

/** The newest run of each name, living or not. */
export class RunTable<R extends TableRun> {
  readonly #runs = new Map<string, R>();
  readonly #byId = new Map<string, R>();
  readonly #outcomes = new Map<string, Outcome<R>>();

  /** Takes the runs of the program before this one, and its failed starts. */
  take(runs: readonly R[], failed: FailedStarts): void {
    for (const run of runs) {
      const { name } = run.spec;
      this.#runs.set(name, run);
      this.#byId.set(run.id, run);
      this.#outcomes.set(name, { runId: run.id, run });
    }
    for (const { name, run_id, code, message } of failed) this.#outcomes.set(name, { runId: run_id, failure: new MgrError(code, message) });
  }

  /** The failed starts; `all` has the runs. */
  get failed(): FailedStarts {
    return [...this.#outcomes].flatMap(([name, outcome]) => {
      if (!("failure" in outcome) || !(outcome.failure instanceof MgrError) || !isFinal(outcome.failure.code)) return [];
      return [{ name, run_id: outcome.runId, code: outcome.failure.code, message: outcome.failure.message }];
    });
  }

  /** All runs that are not extinct. */
  get living(): R[] {
    return [...this.#runs.values()].filter((run) => !run.isExtinct);
  }

  /** Resolves when no start is in progress: until then, `living` may be incomplete. */
  async noneStarting(): Promise<void> {
    for (;;) {
      const pending = [...this.#outcomes.values()].flatMap((outcome) => ("pending" in outcome ? outcome.pending : []));
      if (pending.length === 0) return;
      await Promise.allSettled(pending);
    }
  }

  /** Resolves when no start of this run is in progress, whether it succeeded or failed. */
  async notStarting(runId: string): Promise<void> {
    for (const outcome of this.#outcomes.values())
      if (outcome.runId === runId && "pending" in outcome) await Promise.allSettled([outcome.pending]);
  }

  /** The newest run of each name, living or not. */
  get all(): R[] {
    return [...this.#runs.values()];
  }

  /** The run of the newest start of a name; undefined if that start is in progress or failed. */
  started(name: string): R | undefined {
    const outcome = this.#outcomes.get(name);
    return outcome !== undefined && "run" in outcome ? outcome.run : undefined;
  }

  newest(name: string): R | undefined {
    return this.#runs.get(name);
  }

  knows(runId: string): boolean {
    return this.#byId.has(runId);
  }

  /** Name of the run's process; null: the run is no longer known. */
  nameOf(runId: string): string | null {
    return this.#byId.get(runId)?.spec.name ?? null;
  }

  /** The run that a command names; throws `not_running` if it is unknown or was replaced by a newer one. */
  byId(runId: string): R {
    const run = this.#byId.get(runId);
    if (run === undefined)
      throw new MgrError("not_running", `the run ${runId} is not known to this host: it never started, or a newer run replaced it`);
    return run;
  }

  /**
   * Starts a run with `start`, once for each run_id: a repeated command gets the result of the first. Rejects with
   * `conflict` (details {run}) while a run of that name or its tree lives, with `not_running` if a newer one took its place.
   */
  async spawn(name: string, runId: string, start: () => Promise<R>): Promise<R> {
    const known = this.#outcomes.get(name);
    if (known?.runId === runId) return recorded(known);
    if (known !== undefined && compareRunIds(runId, known.runId) <= 0) {
      throw new MgrError("not_running", `the run ${runId} of '${name}' is over: ${known.runId} took its place`);
    }
    const other = this.#byId.get(runId);
    if (other !== undefined) throw new MgrError("conflict", `the run ${runId} is one of '${other.spec.name}', not of '${name}'`);
    const living = this.#runs.get(name);
    if (living !== undefined && !living.isExtinct) {
      throw new MgrError("conflict", `'${name}' or a part of it still runs (pid ${living.pid}, run ${living.id}); stop it first`, {
        details: { run: living.report },
      });
    }
    if (known !== undefined && "pending" in known) throw new MgrError("conflict", `'${name}' is being started as run ${known.runId}`);

    const pending = start();
    this.#outcomes.set(name, { runId, pending });
    try {
      const run = await pending;
      if (living !== undefined) this.#byId.delete(living.id);
      this.#runs.set(name, run);
      this.#byId.set(runId, run);
      this.#outcomes.set(name, { runId, run });
      return run;
    } catch (failure) {
      // Only failures caused by the run itself would repeat.
      if (failure instanceof MgrError && isFinal(failure.code)) this.#outcomes.set(name, { runId, failure });
      else if (known === undefined) this.#outcomes.delete(name);
      else this.#outcomes.set(name, known);
      throw failure;
    }
  }

  /** The runs after the name `after`, ordered by name: as many as fit into a message. */
  page(after: string | null): Pick<ResponseOf<"report">, "runs" | "next"> {
    const names = [...this.#runs.keys()].filter((name) => after === null || name > after).sort();
    const runs: RunReport[] = [];
    let bytes = 0;
    for (const name of names) {
      const report = this.#runs.get(name)?.report;
      if (report === undefined) continue;
      bytes += Buffer.byteLength(JSON.stringify(report)) + 1;
      if (runs.length > 0 && bytes > PAGE_BYTES) return { runs, next: runs.at(-1)?.name ?? null };
      runs.push(report);
    }
    return { runs, next: null };
  }
}

const isFinal = (code: string): code is (typeof FINAL_CODES)[number] => (FINAL_CODES as readonly string[]).includes(code);

async function recorded<R>(outcome: Outcome<R>): Promise<R> {
  if ("run" in outcome) return outcome.run;
  if ("failure" in outcome) throw outcome.failure;
  return outcome.pending;
}
