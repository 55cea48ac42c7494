import type { z } from "zod";
import type { HostSession } from "../../../app/hosts/host-session.ts";
import type { Clock } from "../../../base/clock.ts";
import { type AnyErrorCode, MgrError } from "../../../base/errors.ts";
import { parseJson } from "../../../base/json.ts";
import type { HostHeartbeat } from "../../../contract/messages.ts";

/** Changes kept while the table is requested; with more, it is requested again. */
const MAX_EARLY_CHANGES = 1_000;
/** Wait before a failed request is repeated, milliseconds. */
const RETRY_MS = 1_000;

interface TableReplicaOptions<Change, Row> {
  readonly session: HostSession;
  readonly clock: Clock;
  /** Requests the table: `list` names what the host prepared, for requests of its pages. */
  readonly requestTable: (request: { session: string }) => Promise<{ list: string; seq: number; pages: number }>;
  readonly requestPage: (request: { session: string; list: string; page: number }) => Promise<{ data: Uint8Array }>;
  readonly rows: z.ZodType<Row[]>;
  readonly changed: (change: Change) => void;
  /** The whole table. `life` identifies the daemon process that sent it. */
  readonly replaced: (rows: Row[], life: string) => void;
}

/** Keeps a copy of a daemon's table: all rows after a hello and after a gap, numbered changes in between. */
export class TableReplica<Change extends { readonly seq: number }, Row> {
  readonly #options: TableReplicaOptions<Change, Row>;
  /** Of the daemon that the copy is from; "": there is no copy yet. */
  #life = "";
  /** Of the last change applied; null while the table is requested. */
  #seq: number | null = null;
  /** Identifies the current request. */
  #request: symbol | null = null;
  #early: Change[] = [];
  #retry: unknown = null;
  /** The daemon's version does not know the request. */
  #isUnsupported = false;

  constructor(options: TableReplicaOptions<Change, Row>) {
    this.#options = options;
  }

  /** The host is ready. */
  begin(): void {
    this.#isUnsupported = false;
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
    if (seq === undefined || this.#isUnsupported || this.#request !== null || !own.isOpen || session !== own.session) return;
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
    this.#load(request).catch((error: unknown) => {
      if (this.#request !== request) return;
      this.#reset();
      if (error instanceof MgrError && error.code === ("unknown_action" satisfies AnyErrorCode)) this.#isUnsupported = true;
      else this.#retry = clock.setTimeout(() => this.#fetch(), RETRY_MS);
    });
  }

  async #load(request: symbol): Promise<void> {
    const { session, requestTable, requestPage, rows, replaced } = this.#options;
    const { list, seq, pages } = await session.command((id) => requestTable({ session: id }));
    const life = session.streamId ?? "";
    const table: Row[] = [];
    for (let page = 0; page < pages && this.#request === request; page++) {
      const { data } = await session.command((id) => requestPage({ session: id, list, page }));
      table.push(...rows.parse(parseJson(Buffer.from(data).toString())));
    }
    if (this.#request !== request) return;
    const early = this.#early;
    this.#reset();
    this.#life = life;
    this.#seq = seq;
    replaced(table, life);
    for (const change of early) this.receive(change);
  }
}
