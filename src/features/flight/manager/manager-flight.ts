import type { DomainEvents } from "../../../actors/domain-events.ts";
import { askAllHosts } from "../../../app/hosts/all-hosts.ts";
import type { HostTable } from "../../../app/hosts/host-table.ts";
import { MgrError, messageOf } from "../../../base/errors.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import { SerialQueue } from "../../../base/timing/serial-queue.ts";
import type { LogBook } from "../../../log/log-book.ts";
import { formatTime } from "../../../protocol/time.ts";
import type { HostClocks } from "../../host-clocks/manager/index.ts";
import type { RecordedFileReader } from "../../recordings/manager/index.ts";
import { type FlightSettings, SNAPSHOT } from "../config.ts";
import type { FlightPart } from "../contract.ts";
import { DEFAULT_LISTED } from "../limits.ts";
import type { HostClock, Incident } from "../wire.ts";
import type { Flight, FlightHosts, KeepRequest } from "./flight.ts";
import { FlightFleet, type NoteKind } from "./flight-fleet.ts";
import { addTrigger, applyReport, countFired, giveUp, hostIn, isPresent, joined, newPart, type Range, widen } from "./incident-changes.ts";
import type { Merge } from "./incident-merger.ts";
import { type IncidentOutput, outputBefore } from "./incident-output.ts";
import { type IncidentRecord, type PartRecord, type TriggerRecord, timeText } from "./incident-record.ts";
import type { IncidentStore } from "./incident-store.ts";
import { IncidentWork } from "./incident-work.ts";

/** Default time before a snapshot, milliseconds. */
const DEFAULT_BEFORE_MS = 30_000;
/** Incidents of users that are under way at a time; more are refused. */
const MAX_SNAPSHOTS = 10;
/** Incidents beyond `keep` that may be under way; of more, as with a full disk, the oldest are deleted although they are not complete. */
const MAX_UNFINISHED = 100;
/** Requests for output that wait or are answered. */
const MAX_READS = 20;
const MS = 1_000_000n;

export interface ManagerFlightOptions {
  readonly clock: Clock;
  readonly hosts: HostTable;
  readonly clocks: HostClocks;
  readonly events: DomainEvents;
  readonly log: LogBook;
  /** Name of the manager's own host. */
  readonly localHost: string;
  /** `flight` of the present configuration; null: none. */
  readonly settings: () => FlightSettings | null;
  readonly store: IncidentStore;
  /** The incidents of earlier managers. */
  readonly incidents: readonly IncidentRecord[];
  readonly merge: Merge;
  /** Time by this clock, nanoseconds since 1970. */
  readonly now: () => bigint;
}

/**
 * The incidents of all hosts. A host that notices something begins its own part; the manager has the other hosts keep the same time, copies the parts, and
 * puts them into one file. All of it is in the records, so that the next manager continues where this one was killed.
 */
export class ManagerFlight implements Flight {
  readonly #options: ManagerFlightOptions;
  readonly #records: Map<string, IncidentRecord>;
  readonly #fleet: FlightFleet;
  readonly #work: IncidentWork;
  /** Files are read one at a time. */
  readonly #outputs = new SerialQueue({ max: MAX_READS, busy: `${MAX_READS} requests for output of incidents wait: try again` });

  constructor(options: ManagerFlightOptions) {
    this.#options = options;
    const { clock, clocks, hosts, events, log, localHost, settings, store, incidents, merge, now } = options;
    this.#records = new Map(incidents.map((record) => [record.id, record]));
    this.#fleet = new FlightFleet({
      hosts,
      clocks,
      events,
      clock,
      log,
      now,
      localHost,
      settings,
      reported: (host, part) => this.#reported(host, part),
      replaced: (host, parts) => this.#replaced(host, parts),
      changed: () => this.#advanceAll(),
      removed: (host) => this.#removed(host),
    });
    this.#work = new IncidentWork({
      clock,
      log,
      events,
      store,
      merge,
      now,
      fleet: this.#fleet,
      record: (id) => this.#records.get(id),
      maxBytes: () => settings()?.max_size ?? Number.MAX_SAFE_INTEGER,
      completed: () => this.#evict(),
    });
  }

  get isEnabled(): boolean {
    return this.#options.settings() !== null;
  }

  list(limit = DEFAULT_LISTED): Incident[] {
    const newest = [...this.#records.values()].reverse().slice(0, limit);
    return newest.map((record) => this.#work.resource(record));
  }

  async hosts(): Promise<FlightHosts> {
    const { hosts } = this.#options;
    const { answers, away } = await askAllHosts(hosts, (session) =>
      session.command((id) => session.link.request("flight_ring", { session: id })),
    );
    const time = (text: string | null) => (text === null ? null : timeText(BigInt(text)));
    return {
      hosts: answers.map(({ host, value: { bytes, disk_bytes, messages, oldest, newest } }) => {
        const counts = { bytes, disk_bytes, messages, oldest: time(oldest), newest: time(newest) };
        return { ...counts, ...this.#clockOf(host) };
      }),
      away,
    };
  }

  clocks(): HostClock[] {
    return this.isEnabled ? [...this.#options.hosts.keys()].map((host) => this.#clockOf(host)) : [];
  }

  async keep({ note = "", before = DEFAULT_BEFORE_MS, after = 0 }: KeepRequest, by: string): Promise<string> {
    if (!this.isEnabled)
      throw new MgrError("conflict", "the flight recorder is off: add 'flight:' to the configuration and reload it (docs/flight.md)");
    const open = [...this.#records.values()].filter((record) => record.by !== null && this.#work.resource(record).state !== "complete");
    if (open.length >= MAX_SNAPSHOTS) throw new MgrError("busy", `${open.length} snapshots are under way: try again when one is complete`);
    const time = this.#options.now();
    const text = note === "" ? `'${by}' asked for it` : `'${by}' asked for it: ${note}`;
    const range = { from: time - BigInt(before) * MS, until: time + BigInt(after) * MS };
    const record = this.#begin(range, { id: null, trigger: SNAPSHOT, text, host: null, time: String(time), fired: 1 }, { note, by });
    this.#work.advance(record);
    await this.#work.saved(record);
    return record.id;
  }

  /** The manager noticed something itself. Returns the id of the incident. */
  fire(trigger: string, text: string, { before, after }: { before: number; after: number }): string {
    const time = this.#options.now();
    const range = { from: time - BigInt(before) * MS, until: time + BigInt(after) * MS };
    const fired = { id: null, trigger, text, host: null, time: String(time), fired: 1 };
    const known = joined(this.#records.values(), time, range.until);
    const record = known ?? this.#begin(range, fired, { note: "", by: null });
    if (known !== undefined) {
      addTrigger(known, fired);
      widen(known, this.#newId(time), range, this.#options.hosts.keys());
    }
    this.#work.advance(record);
    return record.id;
  }

  /** Counts a trigger of the manager that fired again. */
  firedAgain(incident: string, trigger: string): void {
    const record = this.#records.get(incident);
    const known = record?.triggers.findLast((each) => each.id === null && each.trigger === trigger);
    if (record === undefined || known === undefined) return;
    known.fired++;
    this.#work.advance(record);
  }

  async pin(id: string, isPinned: boolean, by: string): Promise<void> {
    const record = this.#require(id);
    if (record.is_pinned === isPinned) return;
    record.is_pinned = isPinned;
    this.#options.log.info(`'${by}' ${isPinned ? "pinned" : "unpinned"} the incident ${id}`);
    this.#work.advance(record);
    await this.#work.saved(record);
    this.#evict();
  }

  async delete(id: string, by: string): Promise<void> {
    await this.#delete(this.#require(id), `'${by}' deleted the incident ${id}`);
  }

  output(id: string, process: string, until: number | null): Promise<IncidentOutput> {
    return this.#outputs.run(() => {
      this.#requireFile(id);
      return outputBefore(this.#options.store.filePath(id), process, until === null ? null : BigInt(until + 1) * MS - 1n);
    });
  }

  async open(id: string): Promise<RecordedFileReader> {
    this.#requireFile(id);
    return this.#options.store.open(id);
  }

  /** Adds an entry to the ring of the manager's host. */
  note(kind: NoteKind, value: unknown): void {
    this.#fleet.note(kind, value);
  }

  /** Another configuration has taken effect. */
  reconfigure(): void {
    this.#fleet.configure();
    this.#evict();
  }

  async close(): Promise<void> {
    this.#fleet.close();
    await this.#work.close();
  }

  #reported(host: string, report: FlightPart): void {
    const { store } = this.#options;
    const known = this.#find(report.incident);
    if (!isPresent(report)) {
      if (known !== undefined && countFired(known, report)) this.#work.advance(known);
      return;
    }
    if (known === undefined && (report.cause === null || store.wasDeleted(report.incident))) {
      this.#fleet.deletePart(host, report.incident);
      return;
    }
    const record = known ?? this.#noticed(host, report);
    const part = this.#partOf(record, host, report);
    if (part.state === "merged") this.#fleet.deletePart(host, report.incident);
    const isTaken = part.state === "merged" || part.state === "collected";
    const hasChanged = !isTaken && applyReport(part, report);
    if (countFired(record, report) || hasChanged) this.#work.advance(record);
    if (!isTaken && report.state === "failed") this.#fleet.deletePart(host, report.incident);
  }

  /** The part in the record; one that was only wanted for a shorter time, or not at all, is the host's own. */
  #partOf(record: IncidentRecord, host: string, report: FlightPart): PartRecord {
    const inRecord = hostIn(record, host);
    const known = inRecord.parts.find(({ id }) => id === report.incident);
    if (known !== undefined) return known;
    const { from, until } = this.#onOwnClock(host, report);
    widen(record, report.incident, { from, until }, []);
    const part = newPart(report.incident, { from, until });
    inRecord.parts.push(part);
    return part;
  }

  /** A host has noticed something: it begins an incident, or belongs to one. */
  #noticed(host: string, report: FlightPart): IncidentRecord {
    const { hosts, log } = this.#options;
    const { incident: id, cause, fired } = report;
    const { offset, ...range } = this.#onOwnClock(host, report);
    const time = BigInt(cause?.at ?? report.until) - offset;
    const trigger = { id, trigger: cause?.trigger ?? "", text: cause?.text ?? "", host, time: String(time), fired };
    const others = [...hosts.keys()].filter((each) => each !== host);
    const known = joined(this.#records.values(), time, range.until);
    if (known === undefined) return this.#begin(range, trigger, { note: "", by: null }, id, others);
    log.info(`the incident ${known.id} has another trigger: ${trigger.text}`);
    addTrigger(known, trigger);
    widen(known, id, range, others);
    return known;
  }

  /** The clock of a host as it is known now. */
  #clockOf(host: string): HostClock {
    const clock = this.#fleet.offset(host, this.#options.now());
    const inMs = (nanoseconds: bigint | undefined) => (nanoseconds === undefined ? null : Number(nanoseconds) / 1e6);
    return { host, offset_ms: inMs(clock?.offset), uncertainty_ms: inMs(clock?.uncertainty) };
  }

  #onOwnClock(host: string, { from, until }: FlightPart): Range & { offset: bigint } {
    const offset = this.#fleet.offset(host, this.#options.now())?.offset ?? 0n;
    return { from: BigInt(from) - offset, until: BigInt(until) - offset, offset };
  }

  /** Begins an incident, for which these hosts are to be asked. */
  #begin(
    range: Range,
    trigger: TriggerRecord,
    about: Pick<IncidentRecord, "note" | "by">,
    id = this.#newId(BigInt(trigger.time)),
    hosts: Iterable<string> = this.#options.hosts.keys(),
  ): IncidentRecord {
    const { log } = this.#options;
    const record: IncidentRecord = {
      id,
      ...about,
      is_pinned: false,
      from: String(range.from),
      until: String(range.until),
      triggers: [],
      hosts: [],
      file: null,
      is_replacing: false,
    };
    addTrigger(record, trigger);
    // The host that noticed it comes first.
    if (trigger.host !== null) hostIn(record, trigger.host);
    widen(record, id, range, hosts);
    this.#records.set(id, record);
    log.info(`the incident ${id} has begun: ${trigger.text}`);
    this.#evict();
    return record;
  }

  /** An id that no incident has, and no host gives: hosts name themselves in theirs. */
  #newId(time: bigint): string {
    const stamp = formatTime(Number(time / MS))
      .slice(0, 19)
      .replaceAll(/[-:]/g, "")
      .replace("T", "-");
    let number = Number((time / MS) % 1_000n);
    while (this.#find(`${stamp}-manager-${number}`) !== undefined) number++;
    return `${stamp}-manager-${number}`;
  }

  #find(part: string): IncidentRecord | undefined {
    const own = this.#records.get(part);
    return own ?? [...this.#records.values()].find(({ hosts }) => hosts.some(({ parts }) => parts.some(({ id }) => id === part)));
  }

  #require(id: string): IncidentRecord {
    const record = this.#records.get(id);
    if (record === undefined) throw new MgrError("not_found", `there is no incident '${id}': 'mgr incidents' lists them`);
    return record;
  }

  #requireFile(id: string): void {
    if (this.#require(id).file === null) throw new MgrError("not_found", `the incident ${id} has no file yet`);
  }

  /** All parts of a host. One that it should have and has not is lost. */
  #replaced(host: string, reports: readonly FlightPart[]): void {
    const has = new Set(reports.filter(isPresent).map(({ incident }) => incident));
    for (const report of reports) this.#reported(host, report);
    for (const record of this.#records.values())
      for (const part of record.hosts.find((each) => each.host === host)?.parts ?? [])
        if ((part.state === "writing" || part.state === "complete") && !has.has(part.id)) giveUp(part, "its daemon has lost its part");
    this.#advanceAll();
  }

  #removed(host: string): void {
    for (const record of this.#records.values())
      for (const part of record.hosts.find((each) => each.host === host)?.parts ?? [])
        if (["wanted", "writing", "complete"].includes(part.state)) giveUp(part, "it was removed from the configuration");
    this.#advanceAll();
  }

  #advanceAll(): void {
    for (const record of this.#records.values()) this.#work.advance(record);
  }

  /** Deletes the oldest incidents that are more than `keep` or `max_size` allow. The newest one always stays. */
  #evict(): void {
    const settings = this.#options.settings();
    if (settings === null) return;
    const loose = [...this.#records.values()].filter(({ is_pinned }) => !is_pinned);
    let bytes = loose.reduce((sum, { file }) => sum + (file?.size ?? 0), 0);
    let count = loose.length;
    for (const record of loose.slice(0, -1)) {
      if (count <= settings.keep && bytes <= settings.max_size) return;
      if (this.#work.resource(record).state !== "complete" && count <= settings.keep + MAX_UNFINISHED) continue;
      count--;
      bytes -= record.file?.size ?? 0;
      this.#delete(record, `the incident ${record.id} was deleted, because newer ones took its place`).catch((error: unknown) =>
        this.#options.log.warn(`the files of the incident ${record.id} could not be deleted: ${messageOf(error)}`),
      );
    }
  }

  async #delete(record: IncidentRecord, said: string): Promise<void> {
    const { store, log } = this.#options;
    const parts = new Set([record.id, ...record.hosts.flatMap((host) => host.parts.map(({ id }) => id))]);
    this.#records.delete(record.id);
    log.info(said);
    await this.#work.forget(record);
    await store.delete(record.id, parts);
    for (const { host, parts: own } of record.hosts)
      for (const { id, state } of own) if (state !== "wanted" && state !== "merged") this.#fleet.deletePart(host, id);
  }
}
