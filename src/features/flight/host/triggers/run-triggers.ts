import { compileFnmatch } from "../../../../base/patterns/fnmatch.ts";
import { visible } from "../../../../base/text/visible-text.ts";
import type { HostEvent } from "../../../../contract/messages.ts";
import type { ChangedRun } from "../../../../daemon/host-feature.ts";
import { Failures } from "../../../crash-reports/host/index.ts";
import type { HostTrigger } from "../../contract.ts";

type RunState = Extract<HostTrigger["when"], { kind: "state" }>["states"][number];

interface RunTrigger {
  readonly trigger: HostTrigger;
  readonly matches: (process: string) => boolean;
  /** Null: a crash. */
  readonly states: readonly RunState[] | null;
}

/** Detects crashes and states of runs. */
export class RunTriggers {
  readonly #fire: (trigger: HostTrigger, text: string, process: string) => void;
  readonly #failures = new Failures();
  #triggers: RunTrigger[] = [];

  constructor(fire: (trigger: HostTrigger, text: string, process: string) => void) {
    this.#fire = fire;
  }

  configure(triggers: readonly HostTrigger[]): void {
    this.#triggers = triggers.flatMap((trigger) => {
      const { when } = trigger;
      if (when.kind !== "crash" && when.kind !== "state") return [];
      const patterns = when.processes.map(compileFnmatch);
      const matches = (process: string) => patterns.some((each) => each(process));
      return [{ trigger, matches, states: when.kind === "state" ? when.states : null }];
    });
  }

  changed(kind: HostEvent["kind"], run: ChangedRun): void {
    const { name, exit } = run.report;
    const failure = this.#failures.changed(kind, run);
    if (kind === "spawned") this.#came(name, "started", `${visible(name)} started`);
    if (kind === "ready") this.#came(name, "ready", `${visible(name)} became ready`);
    if (kind !== "exited") return;
    const how = exit?.signal == null ? `exit code ${exit?.code ?? "unknown"}` : `ended by ${exit.signal}`;
    this.#came(name, "ended", `${visible(name)} ended: ${how}`);
    if (failure === null) return;
    const text = `${visible(name)} crashed: ${failure === "" ? how : visible(failure)}`;
    this.#came(name, "failed", text);
    this.#each(name, (states) => states === null, text);
  }

  startFailed(name: string, reason: string): void {
    this.#came(name, "failed", `${visible(name)} could not be started: ${visible(reason)}`);
  }

  #came(name: string, state: RunState, text: string): void {
    this.#each(name, (states) => states?.includes(state) ?? false, text);
  }

  #each(name: string, isMeant: (states: RunTrigger["states"]) => boolean, text: string): void {
    for (const { trigger, matches, states } of this.#triggers) if (isMeant(states) && matches(name)) this.#fire(trigger, text, name);
  }
}
