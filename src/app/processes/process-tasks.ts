import type { EffectRequest, ProcessEvent, SpawnInput, StopInput } from "../../actors/process/process-types.ts";
import type { Clock } from "../../base/clock.ts";
import { MgrError } from "../../base/errors.ts";
import { type Cancellation, Task } from "../../base/task.ts";
import { TurnShare } from "../../base/turns.ts";
import type { RunReport, RunSpec } from "../../contract/run.ts";
import type { LogBook } from "../../log/log-book.ts";
import type { OutputHub } from "../../transport/output/output-hub.ts";
import type { HostSession } from "../hosts/host-session.ts";
import type { HostTable } from "../hosts/host-table.ts";
import { spawnRun, stopRun } from "../hosts/run-commands.ts";
import type { IntentKeeper } from "../state/intent-keeper.ts";
import { MEMBERS_PER_TURN } from "./command-plan.ts";
import type { ProcessRegistry } from "./process-registry.ts";
import type { ProcessWaits } from "./process-waits.ts";
import type { RunExtensions } from "./run-extension.ts";

interface ProcessTasksOptions {
  waits: Pick<ProcessWaits, "dependentsStopped">;
  clock: Clock;
  log: LogBook;
  registry: Pick<ProcessRegistry, "hostName">;
  hosts: Pick<HostTable, "session" | "startTurn">;
  hub: Pick<OutputHub, "hasMoved">;
  intents: Pick<IntentKeeper, "get" | "set" | "flush">;
  /** Whether `name` may start now: its dependencies hold, and no shutdown has begun. */
  mayStart: (name: string) => boolean;
  runs: Pick<RunExtensions, "prepare" | "beforeRun">;
  runSpec: (choices: Pick<SpawnInput, "definition" | "size" | "settings">) => RunSpec;
  /** Sends an event to the process's actor. */
  send: (name: string, event: ProcessEvent) => void;
}

/** Carries out the requests of processes to their hosts. */
export class ProcessTasks {
  readonly #options: ProcessTasksOptions;
  /** Tasks by process; at most one each. */
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

  /** Ends the task of a process whose actor has stopped or is rebuilt. */
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
    const { definition, runId } = run;
    const { runs, clock, intents, mayStart } = this.#options;
    const { name, host } = definition;
    // The spec is fixed here: the host gets the same one each time it is sent.
    let spec = this.#options.runSpec(run);
    let { memo } = run;
    const additions = await runs.prepare(definition, task.signal);
    for (const addition of additions) {
      spec = { ...spec, ...addition.spec };
      memo = addition.memo(memo);
    }
    await this.#beforeRun(name, host, task);
    await intents.flush();
    await this.#share.pass();
    // During a shutdown, a process that is about to start waits for its stop: stop commands to thousands take many turns.
    const command = { runId, spec, memo, stillHold: () => mayStart(name) };
    const report = await spawnRun({ session: this.#session(host), clock }, command, task);
    for (const { begun } of additions) begun();
    return report;
  }

  /** Records the host of the run for the next manager, and waits for the host's turn to start it. */
  async #beforeRun(name: string, host: string | null, task: Cancellation): Promise<void> {
    const { intents, hosts, hub, registry, runs } = this.#options;
    if ((intents.get(name).host ?? null) !== host) intents.set(name, { host });
    const canonical = host ?? registry.hostName;
    runs.beforeRun(name);
    hub.hasMoved(name, canonical);
    await hosts.startTurn(canonical, task);
  }

  /** The session with a configured host; null: the manager's own. Throws `host_unavailable` for a host that was removed. */
  #session(host: string | null): HostSession {
    const { hosts, registry } = this.#options;
    const session = hosts.session(host ?? registry.hostName);
    if (session) return session;
    throw new MgrError("host_unavailable", `host '${host}' is not configured any more`);
  }

  #stop(name: string, { runId, host, definition }: StopInput): void {
    const { waits, log, clock, intents } = this.#options;
    this.#begin(name, runId, async (task) => {
      await intents.flush();
      // Reverse order: waits for dependents that are stopping.
      const left = await waits.dependentsStopped(name, task);
      if (left.length > 0) {
        const msg = `process '${name}': it is stopped although ${left.join(", ")} did not end in time`;
        log.warn(msg);
      }
      await this.#share.pass();
      const outcome = await stopRun({ session: this.#session(host), clock }, { runId, steps: [...definition.stop] }, task);
      return outcome === "gone" ? { type: "stop.gone" } : null;
    });
  }

  /** Replaces the task of a process. `work` resolves with the event for its actor, or null. */
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
