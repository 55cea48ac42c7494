import { ThrottledWarning, type WarningLog } from "../../../../base/throttled-warning.ts";
import type { Clock } from "../../../../base/timing/clock.ts";
import type { HostEvent } from "../../../../contract/messages.ts";
import type { ChangedRun } from "../../../../daemon/host-feature.ts";
import type { Tap } from "../../../data-plane/host/index.ts";
import type { HostTrigger } from "../../contract.ts";
import { OutputTriggers } from "./output-triggers.ts";
import { RunTriggers } from "./run-triggers.ts";
import { ConditionTrigger, GapTrigger, RateTrigger, type TopicTrigger, type TopicTriggerOptions } from "./topic-triggers.ts";

export interface TriggerSetOptions {
  readonly clock: Clock;
  readonly tap: Pick<Tap, "add"> | null;
  readonly log: WarningLog;
  readonly fire: (trigger: HostTrigger, text: string, process: string) => void;
}

/** The triggers of one host. */
export class TriggerSet {
  readonly #options: TriggerSetOptions;
  readonly #warning: ThrottledWarning;
  readonly #runs: RunTriggers;
  readonly #outputs: OutputTriggers;
  #topics: { readonly trigger: TopicTrigger; readonly endTap: () => void }[] = [];

  constructor(options: TriggerSetOptions) {
    const { clock, fire } = options;
    this.#options = options;
    this.#warning = new ThrottledWarning(options.log);
    this.#runs = new RunTriggers(fire);
    this.#outputs = new OutputTriggers({ clock, warning: this.#warning, fire });
  }

  /** Judges these triggers in place of those before; they begin anew. */
  configure(triggers: readonly HostTrigger[]): void {
    this.close();
    this.#runs.configure(triggers);
    this.#outputs.configure(triggers);
    this.#topics = triggers.flatMap((each) => {
      const { when } = each;
      const { clock, tap, fire } = this.#options;
      const trigger = topicTrigger(when, { clock, warning: this.#warning, fire: (text) => fire(each, text, "") });
      if (trigger === null || tap === null || !("topic" in when)) return [];
      const endTap = tap.add(
        (topic) => topic === when.topic,
        (message) => trigger.message(message),
      );
      return [{ trigger, endTap }];
    });
  }

  output(process: string, bytes: Uint8Array): void {
    this.#outputs.output(process, bytes);
  }

  runChanged(kind: HostEvent["kind"], run: ChangedRun): void {
    if (kind === "exited") this.#outputs.ended(run.report.name);
    this.#runs.changed(kind, run);
  }

  startFailed(name: string, reason: string): void {
    this.#runs.startFailed(name, reason);
  }

  close(): void {
    for (const { trigger, endTap } of this.#topics) {
      endTap();
      trigger.close();
    }
    this.#topics = [];
  }
}

/** Null: it is not about a topic. */
function topicTrigger(when: HostTrigger["when"], options: TopicTriggerOptions): TopicTrigger | null {
  switch (when.kind) {
    case "topic":
      return new ConditionTrigger(when, options);
    case "gap":
      return new GapTrigger(when, options);
    case "rate":
      return new RateTrigger(when, options);
    default:
      return null;
  }
}
