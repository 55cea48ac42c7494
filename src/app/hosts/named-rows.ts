import type { z } from "zod";
import type { Clock } from "../../base/timing/clock.ts";
import type { HostHeartbeat } from "../../contract/messages.ts";
import type { ListPage } from "../../contract/pages.ts";
import type { HostSession } from "./host-session.ts";
import { TableReplica } from "./table-replica.ts";

export interface NamedRowsOptions<Change, Row> {
  readonly session: HostSession;
  readonly clock: Clock;
  /** Names of the rows that the manager has of this host from an earlier session. */
  readonly known: Iterable<string>;
  readonly requestTable: (request: { session: string }) => Promise<ListPage & { seq: number }>;
  readonly rows: z.ZodType<Row[]>;
  /** The row after a change; null: there is none any more. */
  readonly rowOf: (change: Change) => Row | null;
  /** Called with each row that has changed; null: there is none any more. */
  readonly changed: (name: string, row: Row | null) => void;
}

/** The rows that one host has about processes, at most one each, as it reports them. */
export class NamedRows<Change extends { readonly seq: number; readonly name: string }, Row extends { readonly name: string }> {
  readonly #changed: NamedRowsOptions<Change, Row>["changed"];
  readonly #names: Set<string>;
  readonly #table: TableReplica<Change, Row>;

  constructor({ known, rowOf, changed, ...table }: NamedRowsOptions<Change, Row>) {
    this.#changed = changed;
    this.#names = new Set(known);
    this.#table = new TableReplica({
      ...table,
      changed: (change) => this.#apply(change.name, rowOf(change)),
      replaced: (rows) => this.#replace(rows),
    });
  }

  /** Names of the processes that have a row. */
  get names(): ReadonlySet<string> {
    return this.#names;
  }

  /** Called when the host is ready. */
  begin(): void {
    this.#table.begin();
  }

  receive(change: Change): void {
    this.#table.receive(change);
  }

  /** Compares the copy with the number of the last change in a heartbeat. */
  compare(heartbeat: HostHeartbeat, seq: number | undefined): void {
    this.#table.compare(heartbeat, seq);
  }

  close(): void {
    this.#table.close();
  }

  #apply(name: string, row: Row | null): void {
    if (row === null) this.#names.delete(name);
    else this.#names.add(name);
    this.#changed(name, row);
  }

  #replace(rows: readonly Row[]): void {
    const present = new Set(rows.map(({ name }) => name));
    for (const name of [...this.#names]) if (!present.has(name)) this.#apply(name, null);
    for (const row of rows) this.#apply(row.name, row);
  }
}
