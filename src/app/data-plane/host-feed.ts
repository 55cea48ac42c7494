import type { Clock } from "../../base/clock.ts";
import { type AnyErrorCode, MgrError } from "../../base/errors.ts";
import { parseJson } from "../../base/json.ts";
import { type DataPlaneChange, type DataPlaneEvent, dataPlaneChange } from "../../contract/data-plane.ts";
import type { HostHeartbeat } from "../../contract/messages.ts";
import type { HostSession } from "../hosts/host-session.ts";

/** Events that wait for the tables; with more, the tables are requested again. */
const MAX_EARLY_EVENTS = 1_000;
/** After a request that failed, milliseconds. */
const RETRY_MS = 1_000;
const rows = dataPlaneChange.array();

interface HostFeedOptions {
  readonly session: HostSession;
  readonly clock: Clock;
  readonly changed: (changes: readonly DataPlaneChange[]) => void;
  readonly replaced: (life: string, rows: readonly DataPlaneChange[]) => void;
}

/**
 * The tables of one host's clients, topics and services, kept up to date like its runs: the whole tables after a hello and after a gap,
 * numbered changes in between.
 */
export class HostFeed {
  readonly #options: HostFeedOptions;
  readonly #leave: () => void;
  /** Life of the daemon that the tables are from; "": none yet. */
  #life = "";
  /** Of the last change applied; null while the tables are requested. */
  #seq: number | null = null;
  /** The current request. */
  #question: symbol | null = null;
  #early: DataPlaneEvent[] = [];
  #retry: unknown = null;
  /** The daemon's version does not know the request. */
  #isSilent = false;

  constructor(options: HostFeedOptions) {
    this.#options = options;
    this.#leave = options.session.link.listen({
      onDataPlane: (event) => this.#receive(event),
      onHeartbeat: (heartbeat) => this.#compare(heartbeat),
    });
  }

  /** The host is ready. */
  begin(): void {
    this.#isSilent = false;
    this.#fetch();
  }

  close(): void {
    this.#leave();
    this.#forget();
  }

  #receive(event: DataPlaneEvent): void {
    if (this.#question !== null) {
      this.#early.push(event);
      if (this.#early.length > MAX_EARLY_EVENTS) this.#fetch();
      return;
    }
    if (this.#seq === null || event.seq <= this.#seq) return;
    if (event.seq > this.#seq + 1) this.#fetch();
    else {
      this.#seq = event.seq;
      this.#options.changed(event.changes);
    }
  }

  /** Heartbeats and events share one ordered connection: a higher number here means that events were lost. */
  #compare({ session, stream_id, data_seq }: HostHeartbeat): void {
    const own = this.#options.session;
    if (data_seq === undefined || this.#isSilent || this.#question !== null || !own.isOpen || session !== own.session) return;
    if (this.#seq === null || stream_id !== this.#life || data_seq > this.#seq) this.#fetch();
  }

  #forget(): void {
    this.#question = null;
    this.#early = [];
    this.#options.clock.clearTimeout(this.#retry);
  }

  #fetch(): void {
    this.#forget();
    const { session, clock } = this.#options;
    this.#seq = null;
    if (!session.isOpen) return;
    const question = Symbol("question");
    this.#question = question;
    this.#load(question).catch((error: unknown) => {
      if (this.#question !== question) return;
      this.#forget();
      // Otherwise the next heartbeat or greeting begins anew.
      if (error instanceof MgrError && error.code === ("unknown_action" satisfies AnyErrorCode)) this.#isSilent = true;
      else this.#retry = clock.setTimeout(() => this.#fetch(), RETRY_MS);
    });
  }

  async #load(question: symbol): Promise<void> {
    const { session } = this.#options;
    const { link } = session;
    const { list, seq, pages } = await session.command((id) => link.request("data_plane", { session: id }));
    const life = session.streamId ?? "";
    const table: DataPlaneChange[] = [];
    for (let page = 0; page < pages && this.#question === question; page++) {
      const { data } = await session.command((id) => link.request("data_plane_page", { session: id, list, page }));
      table.push(...rows.parse(parseJson(Buffer.from(data).toString())));
    }
    if (this.#question !== question) return;
    const early = this.#early;
    this.#forget();
    this.#life = life;
    this.#seq = seq;
    this.#options.replaced(life, table);
    for (const event of early) this.#receive(event);
  }
}
