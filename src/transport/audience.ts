import { EMPTY, type Observable, type Subscription } from "rxjs";
import type { LogLevel } from "../protocol/resources/resources.ts";
import type { EncodedFrame, EventBatch, ReadPosition } from "./event-batch.ts";
import type { EventStreams } from "./event-streams.ts";
import type { LogStreams } from "./log-streams.ts";
import type { ViewMode } from "./view.ts";

/** A connection of an audience. */
interface EventReader {
  /** Called when events wait for it, once until it takes them. */
  hasEvents(): void;
}

/** An event in the order of its audience. Readers hold the last one they have read, so that those which all have read are released. */
interface Entry {
  readonly frame: EncodedFrame | null;
  next: Entry | null;
}

/**
 * Connections with equal views, equal roles and the same level of the log. An event is appended once for all of them, and costs each nothing until
 * its time to be sent has come (docs/decisions/0135).
 */
export class Audience {
  readonly #beforeJoin: () => void;
  readonly #onEmpty: () => void;
  readonly #subscriptions: readonly Subscription[];
  readonly #members = new Set<Member>();
  /** Members that have read everything. */
  readonly #current = new Set<Member>();
  #last: Entry = { frame: null, next: null };
  #batch: { readonly from: Entry; readonly to: Entry; readonly batch: EventBatch } | null = null;

  /** `beforeJoin` appends events that are older than a new member. */
  constructor(streams: { subscribe(append: (frame: EncodedFrame) => void): Subscription[]; beforeJoin: () => void; onEmpty: () => void }) {
    this.#beforeJoin = streams.beforeJoin;
    this.#onEmpty = streams.onEmpty;
    this.#subscriptions = streams.subscribe((frame) => this.#append(frame));
  }

  /** Events from now on. */
  join(reader: EventReader): ReadPosition {
    this.#beforeJoin();
    const member = { reader, read: this.#last };
    this.#members.add(member);
    this.#current.add(member);
    return { take: () => this.#take(member), leave: () => this.#leave(member) };
  }

  #append(frame: EncodedFrame): void {
    const entry = { frame, next: null };
    this.#last.next = entry;
    this.#last = entry;
    if (this.#current.size === 0) return;
    const readers = [...this.#current];
    this.#current.clear();
    for (const { reader } of readers) reader.hasEvents();
  }

  #take(member: Member): EventBatch | null {
    const [from, to] = [member.read, this.#last];
    if (from === to) return null;
    member.read = to;
    this.#current.add(member);
    if (this.#batch?.from !== from || this.#batch.to !== to) this.#batch = { from, to, batch: batchBetween(from) };
    return this.#batch.batch;
  }

  #leave(member: Member): void {
    this.#current.delete(member);
    if (!this.#members.delete(member) || this.#members.size > 0) return;
    for (const subscription of this.#subscriptions) subscription.unsubscribe();
    this.#onEmpty();
  }
}

interface Member {
  readonly reader: EventReader;
  read: Entry;
}

function batchBetween(from: Entry): EventBatch {
  const frames: EncodedFrame[] = [];
  let bytes = 0;
  for (let entry = from.next; entry !== null; entry = entry.next) {
    if (entry.frame === null) continue;
    frames.push(entry.frame);
    bytes += entry.frame.bytes.length;
  }
  return { frames, bytes };
}

/** The audiences of all connections. */
export class Audiences {
  readonly #events: EventStreams;
  readonly #logs: LogStreams;
  readonly #open = new Map<string, Audience>();

  constructor(events: EventStreams, logs: LogStreams) {
    this.#events = events;
    this.#logs = logs;
  }

  /** Joins `reader` to those that are sent the events of `view`, and the log from `level` on if it is in view. */
  join(reader: EventReader, view: ViewMode, level: LogLevel): ReadPosition {
    const key = JSON.stringify([level, view]);
    const audience = this.#open.get(key) ?? this.#create(key, view, level);
    this.#open.set(key, audience);
    return audience.join(reader);
  }

  #create(key: string, view: ViewMode, level: LogLevel): Audience {
    return new Audience({
      subscribe: (append) => [this.#events.of(view).subscribe(append), this.#logOf(view, level).subscribe(append)],
      beforeJoin: () => this.#logs.flush(),
      onEmpty: () => this.#open.delete(key),
    });
  }

  #logOf(view: ViewMode, level: LogLevel): Observable<EncodedFrame> {
    const { kind } = view.kind === "granted" ? view.within : view;
    if (kind !== "full" && kind !== "log_only") return EMPTY;
    if (view.kind !== "granted") return this.#logs.from(level);
    return this.#logs.selected(level, (entries) => this.#events.hiddenNames(view).log(entries));
  }
}
