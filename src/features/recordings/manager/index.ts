import type { ManagerFeature } from "../../../app/feature.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import { dataPlane } from "../../data-plane/manager/index.ts";
import { recordingHandlers } from "./handlers.ts";
import { ManagerRecordings } from "./manager-recordings.ts";
import type { Recordings } from "./recordings.ts";
import { recordingRoutes } from "./route.ts";

export { NoteSender } from "./note-sender.ts";
export type { RecordedFileReader, Recordings } from "./recordings.ts";
export { rangedFile } from "./route.ts";
export { UpsertPublisher } from "./upsert-publisher.ts";
export { mergeInWorker, writeInWorker } from "./write-in-worker.ts";

/** Recordings of topics, output and the log into files. */
export const recordings: ManagerFeature<Recordings> = {
  name: "recordings",
  attach({ clock, config, events, hostName, hosts, log, system, use }) {
    const service = new ManagerRecordings({
      system,
      hosts,
      localHost: hostName,
      events,
      clock,
      log,
      settings: () => config().record,
      baseDir: () => config().base_dir,
    });
    const unsubscribe = use(dataPlane).uses.subscribe(({ kind, value }) => service.note(kind, value));
    return {
      service,
      ...recordingsExtension(service),
      stepped: (kind, name) => {
        if (kind === "recording") service.stepped(name);
      },
      close() {
        unsubscribe();
        service.close();
      },
    };
  },
};

export function recordingsExtension(service: Recordings): FeatureExtension {
  return {
    transport: { handlers: recordingHandlers(service) },
    http: { names: { recording: () => service.list() }, routes: ({ followers }) => recordingRoutes(service, followers) },
  };
}
