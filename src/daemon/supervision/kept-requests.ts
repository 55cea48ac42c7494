import { z } from "zod";
import { messageOf } from "../../base/errors.ts";
import type { HandedOver } from "../../base/handed-over.ts";
import type { Clock } from "../../base/timing/clock.ts";
import type { HostLogWriter, RequestOf } from "../../contract/messages.ts";
import type { RunSpec } from "../../contract/run.ts";
import { nextRunOfHost } from "../../contract/run-ids.ts";
import { ON_BOOT, type OnBoot } from "../../contract/supervision.ts";
import type { SurvivingPart } from "../handover/surviving-part.ts";
import { keptProcesses, MAX_FILE_BYTES, type RequestStore, type SavedRequests } from "./request-store.ts";

/** Time for which requests are valid after the last daemon of the host has ended, milliseconds: a robot from the cupboard waits for a person. */
const MAX_REQUEST_AGE_MS = 24 * 3_600_000;
/** A file from the future by more than this has an unknown age, milliseconds: the clock was wrong, then or now. */
const CLOCK_TOLERANCE_MS = 600_000;
/** Interval in which a daemon confirms the file, milliseconds. */
const TOUCH_MS = 600_000;
/** Maximum number of daemons in a row that resume, and end soon: what they start may be the reason. */
const MAX_TRIES = 3;
/** Time after which a daemon that resumed counts as stable, milliseconds. */
const STABLE_MS = 300_000;
/** Changes within this time are written together, milliseconds. A stop is written at once. */
const TOGETHER_MS = 250;
/** Pause after a failed write, milliseconds. */
const RETRY_MS = 10_000;

/** A process to start after a boot. */
export interface KeptProcess {
  readonly spec: RunSpec;
  readonly runId: string;
}

interface Entry extends KeptProcess {
  /** The spec as JSON, once it was needed. */
  text?: string;
}

/** Where the processes of the previous daemon come from. */
export interface Resumable {
  readonly processes: readonly KeptProcess[];
  /** Whether the machine was booted since, or only its daemon started again. */
  readonly after: "boot" | "daemon";
  /** Maximum number of starts in a second; null: no limit. */
  readonly startRate: number | null;
}

interface KeptRequestsOptions {
  readonly store: RequestStore;
  readonly clock: Clock;
  readonly bootId: string;
  /** `mgr daemon --resume` or `--no-resume`, which override `on_boot`; undefined: neither. */
  readonly isResuming?: boolean | undefined;
  /** State of the program that this one replaces. Left out: the daemon has just been started. */
  readonly taken?: HandedOver | undefined;
  readonly log: HostLogWriter;
}

/** Requested states that a daemon hands to its next program. */
const keptRequestsState = z.object({
  processes: keptProcesses,
  requested: z.array(z.string()),
  on_boot: z.enum(ON_BOOT),
  start_rate: z.number().nullable(),
  tries: z.int().min(0),
  has_resumed: z.boolean(),
  stops_when_lost: z.boolean(),
  is_stored: z.boolean(),
});

/**
 * What users request of the processes of this host, on its disk for the daemon after the next boot (docs/decisions/0085). Only the manager says
 * it; the host adds the specs with which it has started them.
 */
export class KeptRequests implements SurvivingPart {
  readonly #options: KeptRequestsOptions;
  readonly #entries = new Map<string, Entry>();
  readonly #requested = new Set<string>();
  #onBoot: OnBoot = "wait";
  #startRate: number | null = null;
  #tries = 0;
  /** Whether this daemon has resumed. */
  #isCounted = false;
  /** `on_manager_lost: stop`: a host that must not run alone does not begin alone. */
  #stopsWhenLost = false;
  /** Whether there may be a file. */
  #isStored = false;
  #isWriting = false;
  #isDirty = false;
  #isClosed = false;
  #timer: unknown = null;
  #touchTimer: unknown = null;
  #stableTimer: unknown = null;
  #idle: () => void = () => {};

  constructor(options: KeptRequestsOptions) {
    this.#options = options;
  }

  /** Reads what was requested of the previous daemon, and keeps it from now on; null: this one must not start anything by itself. */
  begin(): Resumable | null {
    const { taken } = this.#options;
    if (taken !== undefined) this.#take(taken);
    const resumable = taken === undefined ? this.#load() : null;
    this.#touch();
    return resumable;
  }

  /** Writes what has changed. */
  async quiet(): Promise<void> {
    if (this.#isDirty && !this.#isWriting) void this.#write();
    await this.#written();
  }

  handOver(): HandedOver {
    const state: z.infer<typeof keptRequestsState> = {
      processes: [...this.#entries.values()].map(({ spec, runId }) => ({ spec, run_id: runId })),
      requested: [...this.#requested],
      on_boot: this.#onBoot,
      start_rate: this.#startRate,
      tries: this.#tries,
      has_resumed: this.#isCounted,
      stops_when_lost: this.#stopsWhenLost,
      is_stored: this.#isStored,
    };
    return { state, descriptors: {}, bytes: {} };
  }

  // Messages of the manager.

  greeted(stopsWhenLost: boolean): void {
    this.#stopsWhenLost = stopsWhenLost;
    this.#settled();
    this.#saveIn(TOGETHER_MS);
  }

  startRequested(name: string): void {
    this.#requested.add(name);
  }

  stopRequested(name: string): void {
    if (this.#requested.delete(name)) this.#saveIn(0);
  }

  supervise({ processes, requested = [], is_first, start_rate, on_boot = "wait" }: Omit<RequestOf<"supervise">, "session">): void {
    const stillRequested = new Set(requested);
    let isWithdrawn = false;
    if (is_first) this.#requested.clear();
    for (const [name, isWanted] of processes) {
      if (isWanted || stillRequested.has(name)) this.#requested.add(name);
      else if (this.#requested.delete(name)) isWithdrawn = true;
    }
    this.#onBoot = on_boot;
    this.#startRate = start_rate;
    // The first message may be a part of several.
    this.#saveIn(isWithdrawn && !is_first ? 0 : TOGETHER_MS);
  }

  // Events of the host.

  /** The host has started a run. */
  began({ spec, id, report: { rows, cols } }: { spec: RunSpec; id: string; report: { rows: number; cols: number } }): void {
    const known = this.#entries.get(spec.name);
    const isSame = known?.spec.terminal.rows === rows && known.spec.terminal.cols === cols && known.spec === spec;
    const next = isSame ? known.spec : { ...spec, terminal: { ...spec.terminal, rows, cols } };
    this.#entries.set(spec.name, { spec: next, runId: id, ...(isSame && known.text !== undefined ? { text: known.text } : {}) });
    this.#saveIn(TOGETHER_MS);
  }

  /** Called when the host begins to start the kept processes without a manager. Counted until the daemon has lived for a while. */
  resumed(): void {
    if (this.#isCounted) return;
    this.#isCounted = true;
    this.#tries++;
    this.#saveIn(0);
    this.#settleLater();
  }

  /** Writes what has changed; resolves when nothing is being written. */
  async close(): Promise<void> {
    const { clock } = this.#options;
    this.#isClosed = true;
    for (const timer of [this.#touchTimer, this.#stableTimer, this.#timer]) clock.clearTimeout(timer);
    if (this.#isDirty && !this.#isWriting) void this.#write();
    await this.#written();
  }

  async #written(): Promise<void> {
    while (this.#isWriting) await new Promise<void>((resolve) => (this.#idle = resolve));
  }

  get #isKept(): boolean {
    return (this.#options.isResuming ?? this.#onBoot === "resume") && !this.#stopsWhenLost;
  }

  #settleLater(): void {
    this.#stableTimer = this.#options.clock.setTimeout(() => {
      this.#settled();
      this.#saveIn(0);
    }, STABLE_MS);
  }

  #settled(): void {
    this.#options.clock.clearTimeout(this.#stableTimer);
    this.#tries = 0;
  }

  /** Continues as the program before this one. State of another shape is dropped: the next manager says what is requested. */
  #take({ state }: HandedOver): void {
    const parsed = keptRequestsState.safeParse(state);
    if (!parsed.success) {
      this.#options.log("warning", "what is requested is kept again for the next boot once a manager says it");
      return;
    }
    const { processes, requested, on_boot, start_rate, tries, has_resumed, stops_when_lost, is_stored } = parsed.data;
    for (const { spec, run_id } of processes) this.#entries.set(spec.name, { spec, runId: run_id });
    for (const name of requested) this.#requested.add(name);
    [this.#onBoot, this.#startRate, this.#tries] = [on_boot, start_rate, tries];
    [this.#isCounted, this.#stopsWhenLost, this.#isStored] = [has_resumed, stops_when_lost, is_stored];
    if (has_resumed) this.#settleLater();
    // The program before this one may have known something that it had not written yet.
    this.#saveIn(0);
  }

  #load(): Resumable | null {
    const { store, bootId, log } = this.#options;
    const found = store.read();
    if (found === null) return null;
    this.#isStored = true;
    const { content, age } = found;
    this.#onBoot = content.on_boot;
    this.#startRate = content.start_rate;
    this.#tries = content.tries;
    if (!this.#isKept) return null;
    const refusal = refusalOf(content, age);
    if (refusal !== null) {
      log("warning", `the processes that were requested before wait for the manager: ${refusal}`);
      // It must not become younger by what this daemon writes.
      this.#remove();
      return null;
    }
    for (const { spec, run_id } of content.processes) {
      // The next number is used up before its run begins, in case this daemon ends before it has saved that.
      this.#entries.set(spec.name, { spec, runId: nextRunOfHost(run_id) });
      this.#requested.add(spec.name);
    }
    this.#saveIn(0);
    return {
      processes: [...this.#entries.values()],
      after: content.boot_id === bootId ? "daemon" : "boot",
      startRate: content.start_rate,
    };
  }

  #touch(): void {
    if (this.#isKept) this.#options.store.touch();
    this.#touchTimer = this.#options.clock.setTimeout(() => this.#touch(), TOUCH_MS);
  }

  #saveIn(delayMs: number): void {
    const { clock } = this.#options;
    if (!this.#isKept && !this.#isStored) return;
    this.#isDirty = true;
    if (this.#isClosed || this.#isWriting || (this.#timer !== null && delayMs > 0)) return;
    clock.clearTimeout(this.#timer);
    this.#timer = clock.setTimeout(() => {
      this.#timer = null;
      void this.#write();
    }, delayMs);
  }

  async #write(): Promise<void> {
    const { store, log } = this.#options;
    this.#isWriting = true;
    this.#isDirty = false;
    let pauseMs = 0;
    try {
      if (this.#isKept) {
        this.#isStored = true;
        await store.write(this.#content());
      } else this.#remove();
    } catch (error) {
      pauseMs = RETRY_MS;
      this.#isDirty = true;
      log("error", `what is requested cannot be kept for the next boot: ${messageOf(error)}`);
      // An older file could undo a stop. On a full disk, removing works where writing does not.
      this.#removeQuietly();
    }
    this.#isWriting = false;
    if (this.#isDirty) this.#saveIn(pauseMs);
    this.#idle();
  }

  #remove(): void {
    this.#options.store.remove();
    this.#isStored = false;
  }

  #removeQuietly(): void {
    try {
      this.#remove();
    } catch (error) {
      this.#options.log("error", `the requests kept for the next boot cannot be removed: ${messageOf(error)}`);
    }
  }

  #content(): string {
    const { bootId } = this.#options;
    const processes: string[] = [];
    let bytes = 0;
    for (const [name, entry] of this.#entries) {
      if (!this.#requested.has(name)) continue;
      entry.text ??= JSON.stringify(entry.spec);
      bytes += 3 * entry.text.length;
      if (bytes > MAX_FILE_BYTES) throw new Error(`the specs of the processes have more than ${MAX_FILE_BYTES / 3} characters`);
      processes.push(`{"run_id":"${entry.runId}","spec":${entry.text}}`);
    }
    const head: Omit<SavedRequests, "processes"> = {
      version: 1,
      boot_id: bootId,
      on_boot: this.#onBoot,
      start_rate: this.#startRate,
      tries: this.#tries,
    };
    return `${JSON.stringify(head).slice(0, -1)},"processes":[${processes.join(",\n")}]}\n`;
  }
}

/** Why the content must not be used; null: it may. */
function refusalOf({ tries }: SavedRequests, age: number): string | null {
  const hours = Math.round(Math.abs(age) / 3_600_000);
  if (age > MAX_REQUEST_AGE_MS)
    return `the last daemon ended ${hours} h ago, and requests are valid for ${MAX_REQUEST_AGE_MS / 3_600_000} h`;
  if (age < -CLOCK_TOLERANCE_MS) return `they were saved ${hours} h in the future, so the clock of this machine is wrong`;
  if (tries >= MAX_TRIES) return `the last ${tries} daemons started them, and ended within ${STABLE_MS / 60_000} min`;
  return null;
}
