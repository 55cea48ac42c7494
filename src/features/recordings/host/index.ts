import { MgrError } from "../../../base/errors.ts";
import type { HostFeature } from "../../../daemon/host-feature.ts";
import { dataPlaneHost } from "../../data-plane/host/index.ts";
import { hostClocksHost } from "../../host-clocks/host/index.ts";
import { NO_RECORDINGS, type RECORDING_REQUESTS } from "../contract.ts";
import { Recorder } from "./recorder.ts";

export { type ChangedProcess, jsonEntry, logEntry, processEntry } from "./host-entries.ts";
export { type MetadataRecord, RecordingFile } from "./recording-file.ts";
export { fileState } from "./recording-state.ts";
export { createFile, type OpenFile } from "./write-queue.ts";

/** The files of the host's recordings, for other features. */
export interface RecordedFiles {
  /** Paths of files of a recording; null: of all, the oldest first. Throws `not_found`. */
  readonly pathsOf: (name: string, files: readonly string[] | null) => string[];
}

/** Records messages that programs of the host publish. The service is null on a host that cannot record. */
export const recordingsHost: HostFeature<keyof typeof RECORDING_REQUESTS, RecordedFiles | null> = {
  name: "recordings",
  begin({ host, clock, folders, lists, log, publish, taken, use }) {
    const tap = use(dataPlaneHost);
    const recorder =
      tap === null || folders === null
        ? null
        : new Recorder({
            host,
            stateDir: folders.state,
            workDir: folders.work,
            tap,
            clock,
            ownClock: use(hostClocksHost),
            pages: lists.pages,
            log,
            send: (event) => publish("recording", event),
            taken,
          });
    const own = () => {
      if (recorder === null) throw new MgrError("conflict", "this host cannot record: it has no state folder or no broker");
      return recorder;
    };
    return {
      service: recorder === null ? null : { pathsOf: (name, files) => recorder.pathsOf(name, files) },
      handlers: {
        record_start: async (request) => own().start(request),
        record_stop: async (request) => own().stop(request),
        record_delete: async (request) => own().delete(request),
        recordings: async () => recorder?.list() ?? NO_RECORDINGS.recordings,
        record_read: async (request) => own().read(request),
        record_notes: (request) => recorder?.note(request) ?? {},
      },
      ...(recorder === null
        ? {}
        : {
            // Programs may connect once recordings have resumed, so that their first messages are recorded.
            ready: recorder.resumed,
            heartbeat: () => ({ record_seq: recorder.seq }),
            output: (name, bytes) => recorder.output(name, bytes),
            runChanged: (kind, run) => recorder.processChanged(kind, run),
            close: () => recorder.close(),
            quiet: () => recorder.quiet(),
            handOver: () => recorder.handOver(),
            resume: () => recorder.resume(),
          }),
    };
  },
};
