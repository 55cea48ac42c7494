import type { DomainEvent } from "../../../actors/domain-events.ts";
import type { Conditions } from "../../../app/conditions.ts";
import { visible } from "../../../base/text/visible-text.ts";
import { exitText } from "../../../client/handles/exit-text.ts";
import { CRASH_LOOP, NOT_READY } from "../../../contract/failure-words.ts";
import type { Process } from "../../../protocol/resources/resources.ts";

interface ProcessConditionsOptions {
  readonly conditions: Pick<Conditions, "raise" | "clear">;
  readonly process: (name: string) => Process | undefined;
  readonly isEssential: (name: string) => boolean;
  readonly isShuttingDown: () => boolean;
}

type Transition = Extract<DomainEvent, { type: "process_transition" }>;

/** Raises conditions of processes by their states: they failed, are restarted, or ended although they are essential. */
export class ProcessConditions {
  readonly #options: ProcessConditionsOptions;
  /** Kinds that are raised, by process. */
  readonly #raised = new Map<string, Set<string>>();

  constructor(options: ProcessConditionsOptions) {
    this.#options = options;
  }

  observe(event: DomainEvent): void {
    if (event.type === "process_transition") this.#moved(event);
    else if (event.type === "process_upsert") this.#recoveredIfGood(event.process);
    else if (event.type === "process_remove") this.#end(event.name, "ended");
  }

  #moved({ name, from, to, reason }: Transition): void {
    const process = this.#options.process(name);
    if (process === undefined) return;
    if (to === "error" || to === "backoff") this.#failed(process, to, reason);
    if (to === "stopped") {
      // The end of the manager stops the process, too: what that is about is not over because of it.
      this.#end(name, "ended", this.#options.isShuttingDown() ? "essential_ended" : null);
      // A requested stop passes through `stopping`.
      if ((from === "started" || from === "ready") && this.#options.isEssential(name))
        this.#raise(process, "essential_ended", `essential process ${visible(name)} ended: ${exitText(process)}`);
    }
    this.#recoveredIfGood(process);
  }

  #failed(process: Process, to: "error" | "backoff", reason: string | null): void {
    const kind = kindOf(to, reason);
    const why = visible(reason ?? exitText(process));
    this.#end(process.name, "ended", kind);
    const words = to === "backoff" ? "failed and is restarted" : "failed";
    this.#raise(process, kind, `process ${visible(process.name)} ${words}: ${why}`);
    if (to === "error" && this.#options.isEssential(process.name))
      this.#raise(process, "essential_ended", `essential process ${visible(process.name)} failed: ${why}`);
  }

  #recoveredIfGood(process: Process): void {
    if (this.#raised.has(process.name) && isGood(process)) this.#end(process.name, "recovered");
  }

  #raise({ name, host }: Process, kind: string, text: string): void {
    const kinds = this.#raised.get(name) ?? new Set<string>();
    this.#raised.set(name, kinds.add(kind));
    this.#options.conditions.raise({ kind, process: name, host, text });
  }

  /** Ends the conditions of a process, but for one kind. */
  #end(name: string, end: "recovered" | "ended", except: string | null = null): void {
    const kinds = this.#raised.get(name);
    for (const kind of [...(kinds ?? [])]) {
      if (kind === except) continue;
      kinds?.delete(kind);
      this.#options.conditions.clear({ kind, process: name, host: null }, end);
    }
    if (kinds?.size === 0) this.#raised.delete(name);
  }
}

/** Whether a process is up, and not only for a moment between two failures. */
export function isGood({ state, has_ready_state, restarting }: Process): boolean {
  return (state === "ready" || (state === "started" && !has_ready_state)) && !restarting;
}

function kindOf(to: "error" | "backoff", reason: string | null): string {
  if (reason?.startsWith(CRASH_LOOP)) return "crash_loop";
  if (reason?.startsWith(NOT_READY)) return "not_ready";
  return to === "backoff" ? "restarting" : "failed";
}
