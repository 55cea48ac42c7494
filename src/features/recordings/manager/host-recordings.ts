import type { HostSession } from "../../../app/hosts/host-session.ts";
import { TableReplica } from "../../../app/hosts/table-replica.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import { type RecordingEvent, type RecordingReport, recordingReport } from "../contract.ts";

interface HostRecordingsOptions {
  readonly session: HostSession;
  readonly clock: Clock;
  /** `isWhole`: all recordings were reported, after a hello or a gap. */
  readonly changed: (names: ReadonlySet<string>, isWhole: boolean) => void;
}

/** The recordings of one host, as it reports them. */
export class HostRecordings {
  readonly session: HostSession;
  readonly reports = new Map<string, RecordingReport>();
  readonly #options: HostRecordingsOptions;
  readonly #table: TableReplica<RecordingEvent, RecordingReport>;
  readonly #unsubscribe: () => void;

  constructor(options: HostRecordingsOptions) {
    const { session, clock } = options;
    this.session = session;
    this.#options = options;
    this.#table = new TableReplica({
      session,
      clock,
      requestTable: (request) => session.link.request("recordings", request),
      rows: recordingReport.array(),
      changed: (event) => this.#apply(event),
      replaced: (reports) => this.#replace(reports),
    });
    this.#unsubscribe = session.link.listen({
      onNews: { recording: (event) => this.#table.receive(event) },
      onHeartbeat: (heartbeat) => this.#table.compare(heartbeat, heartbeat.record_seq),
    });
  }

  /** Called when the host is ready. */
  begin(): void {
    this.#table.begin();
  }

  close(): void {
    this.#unsubscribe();
    this.#table.close();
  }

  #apply({ name, is_partial, recording }: RecordingEvent): void {
    if (recording === null) this.reports.delete(name);
    else {
      const closed = is_partial ? (this.reports.get(name)?.files ?? []).filter(({ is_growing }) => !is_growing) : [];
      this.reports.set(name, { ...recording, files: [...closed, ...recording.files] });
    }
    this.#options.changed(new Set([name]), false);
  }

  #replace(reports: readonly RecordingReport[]): void {
    const names = new Set([...this.reports.keys(), ...reports.map(({ name }) => name)]);
    this.reports.clear();
    for (const report of reports) this.reports.set(report.name, report);
    this.#options.changed(names, true);
  }
}
