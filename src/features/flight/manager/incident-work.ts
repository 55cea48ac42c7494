import { rm } from "node:fs/promises";
import type { DomainEvents } from "../../../actors/domain-events.ts";
import { isDiskFull, MgrError, messageOf } from "../../../base/errors.ts";
import { type Clock, MAX_DURATION_MS } from "../../../base/timing/clock.ts";
import type { LogBook } from "../../../log/log-book.ts";
import { UpsertPublisher } from "../../recordings/manager/index.ts";
import type { Incident } from "../wire.ts";
import type { FlightFleet } from "./flight-fleet.ts";
import { giveUp } from "./incident-changes.ts";
import { IncidentMerger, type Merge } from "./incident-merger.ts";
import { type HostRecord, type IncidentRecord, incidentResource, openParts, type PartRecord } from "./incident-record.ts";
import type { IncidentStore } from "./incident-store.ts";
import { PartCollector } from "./part-collector.ts";

/** Time that a connected host has for its part after the end of the incident, milliseconds. */
const FINISH_MS = 120_000;
/** Pause before something that failed on this machine, such as a full disk, is tried again, milliseconds. */
const RETRY_MS = 30_000;
/** Pause before a request whose answer was lost is repeated, milliseconds. Requests to a host that is away are sent when it is back. */
const ASK_AGAIN_MS = 2_000;

interface IncidentWorkOptions {
  readonly clock: Clock;
  readonly log: LogBook;
  readonly events: DomainEvents;
  readonly store: IncidentStore;
  readonly merge: Merge;
  readonly now: () => bigint;
  readonly fleet: FlightFleet;
  readonly record: (id: string) => IncidentRecord | undefined;
  /** Most bytes of one part. */
  readonly maxBytes: () => number;
  /** An incident has all that can be had now. */
  readonly completed: () => void;
}

/** Work in progress for one incident. */
interface Job {
  readonly end: AbortController;
  /** Parts for which a host was asked, or that are being copied, by host and id. */
  readonly busy: Set<string>;
  isMerging: boolean;
  problem: string | null;
  timer: unknown;
  /** The timer that repeats a request. */
  again: unknown;
  /** The record as it was saved last, and the save that is under way. */
  saved: string;
  saving: Promise<void>;
  wasComplete: boolean;
}

/** Takes each incident on as far as possible: asks the hosts, copies their parts, merges them. Each step can be repeated. */
export class IncidentWork {
  readonly #options: IncidentWorkOptions;
  readonly #jobs = new Map<string, Job>();
  readonly #collector = new PartCollector();
  readonly #merger: IncidentMerger;
  readonly #upserts: UpsertPublisher<Incident>;
  readonly #running = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: IncidentWorkOptions) {
    this.#options = options;
    const { clock, events, record } = options;
    this.#merger = new IncidentMerger(options);
    this.#upserts = new UpsertPublisher({
      clock,
      resource: (id) => {
        const known = record(id);
        return known === undefined ? null : this.resource(known);
      },
      isUrgent: (before, after) => before.state !== after.state || before.problem !== after.problem || before.is_pinned !== after.is_pinned,
      upsert: (incident) => events.publish({ type: "incident_upsert", incident }),
      remove: (id) => events.publish({ type: "incident_remove", id }),
    });
  }

  /** The incident as clients see it. */
  resource(record: IncidentRecord): Incident {
    const { fleet } = this.#options;
    return incidentResource(record, { ready: fleet.ready, problem: this.#jobs.get(record.id)?.problem ?? null });
  }

  /** Resolves when the present record is on disk. */
  saved(record: IncidentRecord): Promise<void> {
    return this.#save(record, this.#job(record));
  }

  /** Does what can be done now. Called after each change of the record or of a host. */
  advance(record: IncidentRecord): void {
    if (this.#isClosed || this.#options.record(record.id) !== record) return;
    const job = this.#job(record);
    // Requests to hosts are in the record first: the manager after a killed one continues them.
    this.#track(
      this.#save(record, job).then(
        () => this.#steps(record, job),
        (error: unknown) => this.#failed(record, job, `it cannot be saved: ${failureText(error)}`),
      ),
    );
    this.#publish(record, job);
  }

  /** Ends the work for an incident that is deleted. */
  async forget({ id }: IncidentRecord): Promise<void> {
    const job = this.#jobs.get(id);
    this.#jobs.delete(id);
    if (job !== undefined) {
      this.#end(job, `the incident ${id} was deleted`);
      await job.saving.catch(() => undefined);
    }
    this.#upserts.publish(id);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of this.#jobs.values()) this.#end(job, "the manager ends");
    this.#upserts.close();
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }

  #end({ end, timer, again }: Job, reason: string): void {
    const { clock } = this.#options;
    end.abort(new Error(reason));
    clock.clearTimeout(timer);
    clock.clearTimeout(again);
  }

  #steps(record: IncidentRecord, job: Job): void {
    const { fleet } = this.#options;
    if (job.end.signal.aborted) return;
    for (const host of record.hosts) {
      if (!fleet.ready.has(host.host)) continue;
      for (const part of host.parts) {
        const key = JSON.stringify([host.host, part.id]);
        if (job.busy.has(key)) continue;
        if (part.state === "wanted") this.#do(record, job, key, () => this.#ask(host, part));
        else if (part.state === "complete") this.#do(record, job, key, () => this.#collect(record, host, part, job));
      }
    }
    const open = openParts(record, fleet.ready);
    if (!job.isMerging && open.length > 0 && open.every(({ state }) => state === "collected")) this.#merge(record, job);
    this.#watch(record, job, open);
  }

  /** Runs one step for a part; what follows from it is done afterwards. `step` resolves with false if the host is away. */
  #do(record: IncidentRecord, job: Job, key: string, step: () => Promise<boolean>): void {
    job.busy.add(key);
    const { clock } = this.#options;
    const done = (wentOn: boolean) => {
      job.busy.delete(key);
      if (wentOn) return this.advance(record);
      clock.clearTimeout(job.again);
      if (!job.end.signal.aborted) job.again = clock.setTimeout(() => this.advance(record), ASK_AGAIN_MS);
    };
    this.#track(
      step().then(done, (error: unknown) => {
        job.busy.delete(key);
        this.#failed(record, job, failureText(error));
      }),
    );
  }

  async #ask({ host }: HostRecord, part: PartRecord): Promise<boolean> {
    const { fleet } = this.#options;
    try {
      await fleet.keep(host, part.id, { from: BigInt(part.from), until: BigInt(part.until) });
      // Its report may have come first.
      if (part.state === "wanted") part.state = "writing";
    } catch (error) {
      if (isAway(error)) return false;
      giveUp(part, messageOf(error));
    }
    return true;
  }

  async #collect(record: IncidentRecord, host: HostRecord, part: PartRecord, job: Job): Promise<boolean> {
    const { fleet, store, maxBytes } = this.#options;
    const session = fleet.session(host.host);
    if (session === null) return false;
    // Soon after the end of the part, and before the copy, which delays answers.
    if (host.clock === null) await fleet.refineClock(host.host);
    const path = store.partPath(record, host.host, part.id);
    const { signal } = job.end;
    try {
      const collection = { session, incident: part.id, path, maxBytes: maxBytes(), signal };
      await this.#collector.collect(host.host, collection);
    } catch (error) {
      if (isAway(error) || signal.aborted) return false;
      // Anything but an answer of the host is a problem of this machine, such as a full disk.
      if (!(error instanceof MgrError))
        throw new Error(`the part of host ${host.host} cannot be copied: ${messageOf(error)}`, { cause: error });
      await rm(path, { force: true });
      giveUp(part, messageOf(error));
      return true;
    }
    part.state = "collected";
    const measured = fleet.offset(host.host, BigInt(part.until));
    if (measured !== null && host.clock === null)
      host.clock = { offset: String(measured.offset), uncertainty: String(measured.uncertainty) };
    return true;
  }

  #merge(record: IncidentRecord, job: Job): void {
    const { fleet, log } = this.#options;
    job.isMerging = true;
    const missing = ({ host }: HostRecord) => this.resource(record).hosts.find((each) => each.host === host)?.missing ?? [];
    const merged = this.#merger.merge(record, missing, job.end.signal).then(
      () => {
        for (const { host, parts } of record.hosts) for (const { id, state } of parts) if (state === "merged") fleet.deletePart(host, id);
        return true;
      },
      (error: unknown) => {
        if (!job.end.signal.aborted) log.warn(`the file of the incident ${record.id} cannot be written: ${messageOf(error)}`);
        this.#failed(record, job, `its file cannot be written: ${failureText(error)}`);
        return false;
      },
    );
    this.#track(
      merged.then((isMerged) => {
        job.isMerging = false;
        if (isMerged) this.advance(record);
      }),
    );
  }

  /** Ends the wait for connected hosts that do not finish their parts. */
  #watch(record: IncidentRecord, job: Job, open: readonly PartRecord[]): void {
    const { clock, now } = this.#options;
    if (job.problem !== null) return;
    clock.clearTimeout(job.timer);
    job.timer = null;
    const waiting = open.filter(({ state }) => state === "writing" || state === "wanted");
    if (waiting.length === 0) return;
    const left = Number((BigInt(record.until) - now()) / 1_000_000n) + FINISH_MS;
    job.timer = clock.setTimeout(
      () => {
        for (const part of waiting)
          if (part.state === "writing" || part.state === "wanted")
            giveUp(part, `its part was not complete ${FINISH_MS / 1_000} s after the end`);
        this.advance(record);
      },
      Math.min(Math.max(left, 1_000), MAX_DURATION_MS),
    );
  }

  #failed(record: IncidentRecord, job: Job, problem: string): void {
    if (this.#isClosed || job.end.signal.aborted) return;
    job.problem = `${problem}; it is tried again every ${RETRY_MS / 1_000} s`;
    const { clock } = this.#options;
    clock.clearTimeout(job.timer);
    job.timer = clock.setTimeout(() => {
      job.problem = null;
      this.advance(record);
    }, RETRY_MS);
    this.#upserts.publish(record.id);
  }

  #publish(record: IncidentRecord, job: Job): void {
    const { log, completed } = this.#options;
    this.#upserts.publish(record.id);
    const { state, missing, hosts, triggers } = this.resource(record);
    const isComplete = state === "complete";
    if (isComplete && !job.wasComplete) {
      const lacks = missing.length === 0 ? "" : `; missing: ${missing.slice(0, 3).join("; ")}${missing.length > 3 ? " …" : ""}`;
      const merged = hosts.filter((host) => host.state === "merged").length;
      log.info(`the incident ${record.id} (${triggers[0]?.trigger}) is complete with ${merged} of ${hosts.length} hosts${lacks}`);
      completed();
    }
    job.wasComplete = isComplete;
  }

  #job(record: IncidentRecord): Job {
    const known = this.#jobs.get(record.id);
    if (known !== undefined) return known;
    const job: Job = {
      end: new AbortController(),
      busy: new Set(),
      isMerging: false,
      problem: null,
      timer: null,
      again: null,
      saved: "",
      saving: Promise.resolve(),
      // One of an earlier manager was announced by it.
      wasComplete: record.file !== null && this.resource(record).state === "complete",
    };
    this.#jobs.set(record.id, job);
    return job;
  }

  #save(record: IncidentRecord, job: Job): Promise<void> {
    const text = JSON.stringify(record);
    if (job.saved === text) return job.saving;
    job.saved = text;
    const { store } = this.#options;
    // Making the folder may fail like each write, and is tried again like it.
    job.saving = store.create(record).then(() => store.save(record));
    job.saving.catch(() => {
      job.saved = "";
    });
    return job.saving;
  }

  #track(work: Promise<void>): void {
    this.#running.add(work);
    void work.finally(() => this.#running.delete(work));
  }
}

/** The reason of a failure on this machine, with what to do about a full disk. */
function failureText(error: unknown): string {
  const text = messageOf(error);
  return isDiskFull(error) ? `${text}. Make room on the disk of the state folder, or delete incidents with 'mgr incidents rm ID'` : text;
}

/** The link was cut, or the answer was lost: the step is done again when the host is back. */
function isAway(error: unknown): boolean {
  return error instanceof MgrError && ["host_unavailable", "stale_session", "timeout"].includes(error.code);
}
