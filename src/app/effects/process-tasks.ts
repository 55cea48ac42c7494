import { withXDisplay } from "../../actors/process/process-memo.ts";
import type { EffectRequest, ProcessEvent, SpawnInput, StopInput } from "../../actors/process/process-types.ts";
import type { Clock } from "../../base/clock.ts";
import { type Cancellation, Task } from "../../base/task.ts";
import { TurnShare } from "../../base/turns.ts";
import type { RunReport, RunSpec } from "../../contract/run.ts";
import type { RunDisplays } from "../../features/displays/manager/run-displays.ts";
import type { LogBook } from "../../log/log-book.ts";
import type { HostSession } from "../hosts/host-session.ts";
import { MEMBERS_PER_TURN } from "../processes/command-plan.ts";
import type { ProcessWaits } from "../processes/process-waits.ts";
import { spawnRun, stopRun } from "./process-effects.ts";

interface ProcessTasksOptions {
  waits: Pick<ProcessWaits, "dependentsStopped">;
  clock: Clock;
  log: LogBook;
  /** Session with a host: a configured one, or null for the manager's own. Throws `host_unavailable` for one that was removed. */
  session: (host: string | null) => HostSession;
  /**
   * Called before a run begins on `host`: records where to look for it after a restart of the manager, waits for its turn to start, and
   * sets the source of its output.
   */
  beforeRun: (name: string, host: string | null, task: Cancellation) => Promise<void>;
  /** Whether `name` may start now: its dependencies hold, and no shutdown has begun. */
  mayStart: (name: string) => boolean;
  /** Resolves once the requested state is on disk, as far as possible: awaited before every effect of it. Never rejects. */
  intentWritten: () => Promise<void>;
  displays: Pick<RunDisplays, "select" | "begun">;
  runSpec: (choices: Pick<SpawnInput, "definition" | "size" | "settings">) => RunSpec;
  /** Tells the process's actor. */
  send: (name: string, event: ProcessEvent) => void;
}

/** Carries out what processes request of their hosts. */
export class ProcessTasks {
  readonly #options: ProcessTasksOptions;
  /** By process; at most one each. */
  readonly #underWay = new Map<string, { task: Task; stops: string | null }>();
  /** Commands to thousands of processes are spread over many turns. */
  readonly #share = new TurnShare({ units: MEMBERS_PER_TURN });

  constructor(options: ProcessTasksOptions) {
    this.#options = options;
  }

  take(name: string, request: EffectRequest): void {
    if (request.type === "abandon") this.end(name);
    else if (request.type === "spawn") this.#spawn(name, request.run);
    else if (this.#underWay.get(name)?.stops !== request.run.runId) this.#stop(name, request.run);
  }

  /** Its actor has stopped, or is rebuilt: nothing is done for it any more. */
  end(name: string): void {
    this.#underWay.get(name)?.task.end();
    this.#underWay.delete(name);
  }

  #spawn(name: string, run: SpawnInput): void {
    this.#begin(name, null, async (task) => {
      try {
        return { type: "run.spawned", run: await this.#spawned(run, task) };
      } catch (error) {
        return { type: "spawn.failed", error };
      }
    });
  }

  async #spawned(run: SpawnInput, task: Task): Promise<RunReport> {
    const { definition, memo, runId } = run;
    const { displays, clock, session, mayStart } = this.#options;
    const { name, host } = definition;
    // Fixed here: the host gets the same spec each time it is sent.
    const plain = this.#options.runSpec(run);
    const display = definition.forward_x11 === null ? null : await displays.select(definition, task.signal);
    await this.#options.beforeRun(name, host, task);
    await this.#options.intentWritten();
    await this.#share.pass();
    const report = await spawnRun(
      { session: session(host), clock },
      {
        runId,
        spec: display === null ? plain : { ...plain, x11: display.x11 },
        memo: display === null ? memo : withXDisplay(memo, display.shown),
        // During a shutdown, a process that is about to start waits for its stop: stop commands to thousands take many turns.
        stillHold: () => mayStart(name),
      },
      task,
    );
    if (display !== null) displays.begun(name, display);
    return report;
  }

  #stop(name: string, { runId, host, definition }: StopInput): void {
    const { waits, log, clock, session } = this.#options;
    this.#begin(name, runId, async (task) => {
      await this.#options.intentWritten();
      // Reverse order: waits for dependents that are stopping.
      const left = await waits.dependentsStopped(name, task);
      if (left.length > 0) {
        const msg = `process '${name}': it is stopped although ${left.join(", ")} did not end in time`;
        log.append({ level: "warning", source: "manager", msg });
      }
      await this.#share.pass();
      const outcome = await stopRun({ session: session(host), clock }, { runId, steps: [...definition.stop] }, task);
      return outcome === "gone" ? { type: "stop.gone" } : null;
    });
  }

  /** `work` resolves with what the actor is told, if anything. */
  #begin(name: string, stops: string | null, work: (task: Task) => Promise<ProcessEvent | null>): void {
    this.end(name);
    const mine = { task: new Task(), stops };
    this.#underWay.set(name, mine);
    const done = (event: ProcessEvent | null) => {
      if (this.#underWay.get(name) !== mine) return;
      this.#underWay.delete(name);
      if (event !== null) this.#options.send(name, event);
    };
    work(mine.task).then(done, (error: unknown) => done({ type: "effect.failed", error }));
  }
}
