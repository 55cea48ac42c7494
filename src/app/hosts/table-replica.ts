import type { z } from "zod";
import type { Clock } from "../../base/timing/clock.ts";
import type { HostHeartbeat } from "../../contract/messages.ts";
import type { ListPage } from "../../contract/pages.ts";
import type { HostSession } from "./host-session.ts";
import { readList } from "./list-reader.ts";

/** Maximum number of changes kept while the table is requested; with more, it is requested again. */
const MAX_EARLY_CHANGES = 1_000;
/** Pause before a failed request is repeated, milliseconds. */
const RETRY_MS = 1_000;

interface TableReplicaOptions<Change, Row> {
  readonly session: HostSession;
  readonly clock: Clock;
  /** Requests the first page of the table. */
  readonly requestTable: (request: { session: string }) => Promise<ListPage & { seq: number }>;
  readonly rows: z.ZodType<Row[]>;
  readonly changed: (change: Change) => void;
  /** Called with the whole table. `life` identifies the daemon process that sent it. */
  readonly replaced: (rows: Row[], life: string) => void;
}

/** Keeps a copy of a daemon's table: all rows after a hello and after a gap, numbered changes in between. */
export class TableReplica<Change extends { readonly seq: number }, Row> {
  readonly #options: TableReplicaOptions<Change, Row>;
  /** Identifies the daemon process that sent the table; "": there is no copy yet. */
  #life = "";
  /** Number of the last change applied; null while the table is requested. */
  #seq: number | null = null;
  /** Identifies the current request. */
  #request: symbol | null = null;
  #early: Change[] = [];
  #retry: unknown = null;

  constructor(options: TableReplicaOptions<Change, Row>) {
    this.#options = options;
  }

  /** Called when the host is ready; requests the table. */
  begin(): void {
    this.#fetch();
  }

  close(): void {
    this.#reset();
  }

  receive(change: Change): void {
    if (this.#request !== null) {
      this.#early.push(change);
      if (this.#early.length > MAX_EARLY_CHANGES) this.#fetch();
      return;
    }
    if (this.#seq === null || change.seq <= this.#seq) return;
    if (change.seq > this.#seq + 1) this.#fetch();
    else {
      this.#seq = change.seq;
      this.#options.changed(change);
    }
  }

  /**
   * `seq` is the number of the newest change, undefined if the host has no such table. Heartbeats and changes share one ordered
   * connection, so a higher number means that changes were lost.
   */
  compare({ session, stream_id }: HostHeartbeat, seq: number | undefined): void {
    const own = this.#options.session;
    if (seq === undefined || this.#request !== null || !own.isOpen || session !== own.session) return;
    if (this.#seq === null || stream_id !== this.#life || seq > this.#seq) this.#fetch();
  }

  #reset(): void {
    this.#request = null;
    this.#early = [];
    this.#options.clock.clearTimeout(this.#retry);
  }

  #fetch(): void {
    this.#reset();
    const { session, clock } = this.#options;
    this.#seq = null;
    if (!session.isOpen) return;
    const request = Symbol("request");
    this.#request = request;
    this.#load(request).catch(() => {
      if (this.#request !== request) return;
      this.#reset();
      this.#retry = clock.setTimeout(() => this.#fetch(), RETRY_MS);
    });
  }

  async #load(request: symbol): Promise<void> {
    const { session, requestTable, rows, replaced } = this.#options;
    const answer = await session.command((id) => requestTable({ session: id }));
    const life = session.streamId ?? "";
    const table = await readList(session, answer, rows);
    if (this.#request !== request) return;
    const early = this.#early;
    this.#reset();
    this.#life = life;
    this.#seq = answer.seq;
    replaced(table, life);
    for (const change of early) this.receive(change);
  }
}
