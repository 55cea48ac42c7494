import type { ConditionChange, Conditions } from "../../../app/conditions.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import type { FlightSettings, TriggerSettings } from "../config.ts";
import type { ManagerFlight } from "./manager-flight.ts";

/** Conditions that are a problem of the network: of other features, which need not be there. */
const KINDS: readonly string[] = ["network_problem", "host_lost"];
/** Most incidents that the manager begins in an hour; further problems are counted in the last one. */
const MAX_PER_HOUR = 20;
const HOUR_MS = 3_600_000;

interface NetworkTriggersOptions {
  readonly clock: Clock;
  readonly conditions: Conditions;
  readonly settings: () => FlightSettings | null;
  readonly flight: Pick<ManagerFlight, "fire" | "firedAgain" | "note">;
}

/** Begins incidents for problems of the network. The conditions are read only while there is such a trigger, because measuring them costs something. */
export class NetworkTriggers {
  readonly #options: NetworkTriggersOptions;
  /** The last incident of each trigger, and when its problem was last seen, by the monotonic clock. */
  readonly #last = new Map<string, { incident: string; at: number }>();
  #begun: number[] = [];
  #unsubscribe: (() => void) | null = null;

  constructor(options: NetworkTriggersOptions) {
    this.#options = options;
    this.reconfigure();
  }

  reconfigure(): void {
    const isNeeded = this.#triggers().length > 0;
    if (isNeeded && this.#unsubscribe === null) this.#unsubscribe = this.#options.conditions.subscribe((change) => this.#changed(change));
    if (!isNeeded) this.close();
  }

  close(): void {
    this.#unsubscribe?.();
    this.#unsubscribe = null;
  }

  #triggers(): [string, TriggerSettings][] {
    return [...(this.#options.settings()?.triggers ?? [])].filter(([, { on }]) => on === "network");
  }

  #changed({ kind, condition }: ConditionChange): void {
    if (!KINDS.includes(condition.kind)) return;
    const { flight } = this.#options;
    flight.note("network", { kind, problem: condition.kind, host: condition.host, text: condition.text });
    if (kind === "raised") for (const [name, trigger] of this.#triggers()) this.#fire(name, trigger, condition.text);
  }

  #fire(name: string, trigger: TriggerSettings, text: string): void {
    const { clock, flight } = this.#options;
    const now = clock.monotonic();
    const last = this.#last.get(name);
    this.#begun = this.#begun.filter((at) => now - at < HOUR_MS);
    if (last !== undefined && (now - last.at < trigger.quiet || this.#begun.length >= MAX_PER_HOUR)) {
      flight.firedAgain(last.incident, name);
      return;
    }
    this.#begun.push(now);
    this.#last.set(name, { incident: flight.fire(name, text, trigger), at: now });
  }
}
