import type { EffectRequest, ProcessEvent, SpawnInput, StopInput } from "../../actors/process/process-types.ts";
import { MgrError } from "../../base/errors.ts";
import { type Cancellation, CancellationSource } from "../../base/timing/cancellation.ts";
import type { Clock } from "../../base/timing/clock.ts";
import { TurnShare } from "../../base/timing/turns.ts";
import type { RunReport, RunSpec } from "../../contract/run.ts";
import type { LogBook } from "../../log/log-book.ts";
import type { OutputHub } from "../../transport/output/output-hub.ts";
import type { HostSession } from "../hosts/host-session.ts";
import type { HostTable } from "../hosts/host-table.ts";
import { spawnRun, stopRun } from "../hosts/run-commands.ts";
import type { IntentKeeper } from "../state/intent-keeper.ts";
import { MAX_MEMBERS_PER_TURN } from "./command-plan.ts";
import type { ProcessTable } from "./process-table.ts";
import type { ProcessWaits } from "./process-waits.ts";
import type { RunExtensions } from "./run-extension.ts";

interface ProcessEffectsOptions {
  waits: Pick<ProcessWaits, "dependentsStopped">;
  clock: Clock;
  log: LogBook;
  processTable: Pick<ProcessTable, "hostName">;
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
export class ProcessEffects {
  readonly #options: ProcessEffectsOptions;
  /** Tasks by process; at most one each. */
  readonly #pending = new Map<string, { cancellation: CancellationSource; stops: string | null }>();
  /** Commands to thousands of processes are spread over many turns. */
  readonly #share = new TurnShare({ units: MAX_MEMBERS_PER_TURN });

  constructor(options: ProcessEffectsOptions) {
    this.#options = options;
  }

  handle(name: string, request: EffectRequest): void {
    if (request.type === "abandon") this.end(name);
    else if (request.type === "spawn") this.#spawn(name, request.run);
    else if (this.#pending.get(name)?.stops !== request.run.runId) this.#stop(name, request.run);
  }

  /** Ends the task of a process whose actor has stopped or is rebuilt. */
  end(name: string): void {
    this.#pending.get(name)?.cancellation.cancel();
    this.#pending.delete(name);
  }

  #spawn(name: string, run: SpawnInput): void {
    this.#begin(name, null, async (cancellation) => {
      try {
        return { type: "run.spawned", run: await this.#spawned(run, cancellation) };
      } catch (error) {
        return { type: "spawn.failed", error };
      }
    });
  }

  async #spawned(run: SpawnInput, cancellation: CancellationSource): Promise<RunReport> {
    const { definition, runId } = run;
    const { runs, clock, intents, mayStart } = this.#options;
    const { name, host } = definition;
    // The spec is fixed here: the host gets the same one each time it is sent.
    let spec = this.#options.runSpec(run);
    let { memo } = run;
    const additions = await runs.prepare(definition, cancellation);
    for (const addition of additions) {
      spec = { ...spec, ...addition.spec };
      memo = addition.memo(memo);
    }
    await this.#beforeRun(name, host, cancellation);
    await intents.flush();
    await this.#share.pass();
    // During a shutdown, a process that is about to start waits for its stop: stop commands to thousands take many turns.
    const command = { runId, spec, memo, after: run.after, stillHold: () => mayStart(name) };
    const report = await spawnRun({ session: this.#session(host), clock }, command, cancellation);
    for (const { begun } of additions) begun();
    return report;
  }

  /** Records the host of the run for the next manager, and waits for the host's turn to start it. */
  async #beforeRun(name: string, host: string | null, cancellation: Cancellation): Promise<void> {
    const { intents, hosts, hub, processTable, runs } = this.#options;
    if ((intents.get(name).host ?? null) !== host) intents.set(name, { host });
    const canonical = host ?? processTable.hostName;
    runs.beforeRun(name);
    hub.hasMoved(name, canonical);
    await hosts.startTurn(canonical, cancellation);
  }

  /** The session with a configured host; null: the manager's own. Throws `host_unavailable` for a host that was removed. */
  #session(host: string | null): HostSession {
    const { hosts, processTable } = this.#options;
    const session = hosts.session(host ?? processTable.hostName);
    if (session) return session;
    throw new MgrError("host_unavailable", `host '${host}' is not configured any more`);
  }

  #stop(name: string, { runId, host, definition, isWanted, cause }: StopInput): void {
    const { waits, log, clock, intents } = this.#options;
    this.#begin(name, runId, async (cancellation) => {
      await intents.flush();
      // Reverse order: waits for dependents that are stopping.
      const left = await waits.dependentsStopped(name, cancellation);
      if (left.length > 0) {
        const msg = `process '${name}': it is stopped although ${left.join(", ")} did not end in time`;
        log.warn(msg, [name]);
      }
      await this.#share.pass();
      const command = { runId, steps: [...definition.stop], isWanted, cause };
      const outcome = await stopRun({ session: this.#session(host), clock }, command, cancellation);
      return outcome === "gone" ? { type: "stop.gone" } : null;
    });
  }

  /** Replaces the task of a process. `work` resolves with the event for its actor, or null. */
  #begin(name: string, stops: string | null, work: (cancellation: CancellationSource) => Promise<ProcessEvent | null>): void {
    this.end(name);
    const mine = { cancellation: new CancellationSource(), stops };
    this.#pending.set(name, mine);
    const done = (event: ProcessEvent | null) => {
      if (this.#pending.get(name) !== mine) return;
      this.#pending.delete(name);
      if (event !== null) this.#options.send(name, event);
    };
    work(mine.cancellation).then(done, (error: unknown) => done({ type: "effect.failed", error }));
  }
}
