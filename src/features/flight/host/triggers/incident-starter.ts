import { messageOf } from "../../../../base/errors.ts";
import { shortened } from "../../../../base/text/text-length.ts";
import { visible } from "../../../../base/text/visible-text.ts";
import { ThrottledWarning, type WarningLog } from "../../../../base/throttled-warning.ts";
import type { Clock } from "../../../../base/timing/clock.ts";
import type { KernelTimes } from "../../../../daemon/handover/kernel-times.ts";
import { type FlightPart, type HostTrigger, type IncidentCause, MAX_CAUSE } from "../../contract.ts";
import type { StarterState } from "./starter-state.ts";

/** Most incidents that the triggers of one host begin within an hour; more are only logged. */
export const MAX_INCIDENTS_PER_HOUR = 30;
const HOUR_MS = 3_600_000;
const NS_PER_MS = 1_000_000n;

interface Fired {
  readonly incident: string;
  /** When it began the incident: monotonic, milliseconds. */
  readonly at: number;
  /** When it fired last for each process; "" is that of triggers that are not about processes. */
  readonly last: Map<string, number>;
}

interface IncidentStarterOptions {
  readonly host: string;
  readonly clock: Clock;
  readonly now: () => bigint;
  readonly log: WarningLog;
  /** Number of the next incident, which is never used again. */
  readonly nextNumber: () => number;
  /** Throws if the host can keep no more. */
  readonly begin: (part: Pick<FlightPart, "incident" | "cause" | "from" | "until">) => void;
  readonly firedAgain: (incident: string) => void;
  /** Nothing that fires is counted in this incident any more. */
  readonly forgotten: (incident: string) => void;
}

/**
 * Turns triggers that fire into incidents. What fires soon after an incident has begun belongs to it, and so does what a process repeats again and again. Another
 * process begins an incident of its own: one that crashes all the time does not hide it.
 */
export class IncidentStarter {
  readonly #options: IncidentStarterOptions;
  readonly #warning: ThrottledWarning;
  readonly #fired = new Map<string, Fired>();
  /** Monotonic times at which incidents were begun within the last hour, milliseconds. */
  #begun: number[] = [];

  constructor(options: IncidentStarterOptions) {
    this.#options = options;
    this.#warning = new ThrottledWarning(options.log);
  }

  /** Forgets triggers that are not configured any more. */
  keep(names: ReadonlySet<string>): void {
    for (const [name, { incident }] of this.#fired) {
      if (names.has(name)) continue;
      this.#fired.delete(name);
      this.#options.forgotten(incident);
    }
  }

  /** Whether a trigger that fires again may be counted in this incident. */
  isCounting(incident: string): boolean {
    return [...this.#fired.values()].some((fired) => fired.incident === incident);
  }

  /** `process`: the one that the trigger is about; "": none. */
  fire({ name, before_ms, after_ms, quiet_ms }: HostTrigger, text: string, process: string): void {
    const { clock, now, begin, firedAgain, forgotten } = this.#options;
    const monotonic = clock.monotonic();
    const known = this.#fired.get(name);
    const isQuiet = (since: number | undefined) => since !== undefined && monotonic - since < quiet_ms;
    if (known !== undefined && (isQuiet(known.at) || isQuiet(known.last.get(process)))) {
      known.last.set(process, monotonic);
      firedAgain(known.incident);
      return;
    }
    this.#begun = this.#begun.filter((at) => monotonic - at < HOUR_MS);
    if (this.#begun.length >= MAX_INCIDENTS_PER_HOUR) {
      this.#warning.warn(
        `the trigger '${visible(name)}' fired, but begins no incident: ${MAX_INCIDENTS_PER_HOUR} were begun within an hour. Set a longer 'quiet' (${text})`,
      );
      return;
    }
    const at = now();
    const incident = this.#idOf(at);
    const cause: IncidentCause = { trigger: name, text: shortened(text, MAX_CAUSE / 2), at: String(at) };
    try {
      begin({ incident, cause, from: String(at - BigInt(before_ms) * NS_PER_MS), until: String(at + BigInt(after_ms) * NS_PER_MS) });
    } catch (error) {
      this.#warning.warn(`the trigger '${visible(name)}' fired, but nothing can be kept: ${messageOf(error)} (${text})`);
      return;
    }
    this.#begun.push(monotonic);
    const recent = [...(known?.last ?? [])].filter(([, since]) => isQuiet(since));
    this.#fired.set(name, { incident, at: monotonic, last: new Map([...recent, [process, monotonic]]) });
    if (known !== undefined) forgotten(known.incident);
  }

  handOver(times: KernelTimes): StarterState {
    return {
      fired: [...this.#fired].map(([name, { incident, at, last }]) => ({
        name,
        incident,
        at: times.toKernel(at),
        last: [...last].map(([process, since]): [string, number] => [process, times.toKernel(since)]),
      })),
      begun: this.#begun.map((at) => times.toKernel(at)),
    };
  }

  adopt({ fired, begun }: StarterState, times: KernelTimes): void {
    for (const { name, incident, at, last } of fired) {
      const since = new Map(last.map(([process, each]) => [process, times.fromKernel(each)]));
      this.#fired.set(name, { incident, at: times.fromKernel(at), last: since });
    }
    this.#begun = begun.map((at) => times.fromKernel(at));
  }

  #idOf(at: bigint): string {
    const { host, nextNumber } = this.#options;
    const stamp = new Date(Number(at / NS_PER_MS)).toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
    const plain = host
      .replaceAll(/[^A-Za-z0-9._-]/g, "_")
      .replace(/^[^A-Za-z0-9]+/, "")
      .slice(0, 200);
    return `${stamp}-${plain || "host"}-${nextNumber()}`;
  }
}
