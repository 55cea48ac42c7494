import { parseJson } from "../../base/json.ts";
import type { HostHeartbeat } from "../../contract/messages.ts";
import { type RecordingEvent, type RecordingReport, recordingReport } from "../../contract/recording.ts";
import type { HostSession } from "../hosts/host-session.ts";

const rows = recordingReport.array();

interface HostRecordingsOptions {
  readonly session: HostSession;
  /** `isWhole`: after a greeting or a gap. */
  readonly changed: (names: ReadonlySet<string>, isWhole: boolean) => void;
}

/** The recordings of one host as it reports them: all of them after a greeting and after a gap, numbered changes in between. */
export class HostRecordings {
  readonly reports = new Map<string, RecordingReport>();
  readonly #options: HostRecordingsOptions;
  readonly #leave: () => void;
  /** Of the last change applied; null while all of them are fetched. */
  #seq: number | null = null;
  #early: RecordingEvent[] = [];
  #isFetching = false;

  constructor(options: HostRecordingsOptions) {
    this.#options = options;
    this.#leave = options.session.link.listen({
      onRecording: (event) => this.#receive(event),
      onHeartbeat: (heartbeat) => this.#compare(heartbeat),
    });
  }

  get session(): HostSession {
    return this.#options.session;
  }

  /** The host is ready. */
  begin(): void {
    this.#seq = null;
    void this.#fetch();
  }

  close(): void {
    this.#leave();
  }

  #receive(event: RecordingEvent): void {
    if (this.#isFetching) this.#early.push(event);
    else if (this.#seq === null || event.seq > this.#seq + 1) void this.#fetch();
    else if (event.seq === this.#seq + 1) this.#apply(event);
  }

  /** Heartbeats and events share one ordered connection: a higher number here means that events were lost. */
  #compare({ session, record_seq }: HostHeartbeat): void {
    const own = this.#options.session;
    if (record_seq === undefined || this.#isFetching || !own.isOpen || session !== own.session) return;
    if (this.#seq === null || record_seq > this.#seq) void this.#fetch();
  }

  #apply({ seq, name, is_partial, recording }: RecordingEvent): void {
    this.#seq = seq;
    if (recording === null) this.reports.delete(name);
    else {
      const closed = is_partial ? (this.reports.get(name)?.files ?? []).filter(({ is_growing }) => !is_growing) : [];
      this.reports.set(name, { ...recording, files: [...closed, ...recording.files] });
    }
    this.#options.changed(new Set([name]), false);
  }

  async #fetch(): Promise<void> {
    const { session, changed } = this.#options;
    if (this.#isFetching || !session.isOpen) return;
    this.#isFetching = true;
    this.#early = [];
    try {
      const { link } = session;
      const { list, seq, pages } = await session.command((id) => link.request("recordings", { session: id }));
      const names = new Set(this.reports.keys());
      const found: RecordingReport[] = [];
      for (let page = 0; page < pages; page++) {
        const { data } = await session.command((id) => link.request("recordings_page", { session: id, list, page }));
        found.push(...rows.parse(parseJson(Buffer.from(data).toString())));
      }
      this.reports.clear();
      for (const report of found) this.reports.set(report.name, report);
      this.#seq = seq;
      this.#isFetching = false;
      for (const { name } of found) names.add(name);
      changed(names, true);
      for (const event of this.#early.splice(0)) if (event.seq > seq) this.#receive(event);
    } catch {
      // The next heartbeat tries again. A daemon of an earlier version has no recordings, and its heartbeats do not name them.
      this.#isFetching = false;
    }
  }
}
