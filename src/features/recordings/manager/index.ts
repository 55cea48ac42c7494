import type { AttachedFeature, ManagerCore, ManagerFeature } from "../../../app/feature.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import { dataPlane } from "../../data-plane/manager/index.ts";
import { hostClocks } from "../../host-clocks/manager/index.ts";
import { downloadsFolder, removeOldDownloads } from "./downloads.ts";
import { recordingHandlers } from "./handlers.ts";
import { ManagerRecordings } from "./manager-recordings.ts";
import type { Recordings } from "./recordings.ts";
import { recordingRoutes } from "./route.ts";

export { downloadResponse } from "./download-response.ts";
export { type DownloadedFile, Downloads, downloadsFolder, removeOldDownloads } from "./downloads.ts";
export { NoteSender } from "./note-sender.ts";
export type { RecordedFileReader, Recordings } from "./recordings.ts";
export { rangedFile } from "./route.ts";
export { UpsertPublisher } from "./upsert-publisher.ts";
export { mergeInWorker, writeInWorker } from "./write-in-worker.ts";

/** Recordings of topics, output and the log into files. */
export const recordings: ManagerFeature<Recordings> = {
  name: "recordings",
  async open({ files }) {
    await removeOldDownloads(files.dir);
    return (core) => attach(core, downloadsFolder(files.dir));
  },
  attach: (core) => attach(core, null),
};

function attach(core: ManagerCore, downloads: string | null): AttachedFeature<Recordings> {
  const { clock, config, events, hostName, hosts, log, system, use } = core;
  const service = new ManagerRecordings({
    downloads,
    clocks: use(hostClocks),
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
}

export function recordingsExtension(service: Recordings): FeatureExtension {
  return {
    transport: { handlers: recordingHandlers(service) },
    http: { names: { recording: () => service.list() }, routes: ({ followers, log }) => recordingRoutes(service, followers, log) },
  };
}
