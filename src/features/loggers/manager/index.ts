import type { ManagerCore, ManagerFeature } from "../../../app/feature.ts";
import { subjectOfTopic } from "../../../base/topics/topic-subject.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import { dataPlane } from "../../data-plane/manager/index.ts";
import { downloadsFolder, removeOldDownloads } from "../../recordings/manager/index.ts";
import { loggerHandlers } from "./handlers.ts";
import { noLoggerFile, openLoggerFile } from "./logger-book.ts";
import type { Loggers } from "./loggers.ts";
import { ManagerLoggers, type ManagerLoggersOptions } from "./manager-loggers.ts";
import { loggerDownloadRoute } from "./route.ts";

/** Data loggers: the last samples of topics, for download. */
export const loggers: ManagerFeature<Loggers> = {
  name: "loggers",
  async open({ files, warn }) {
    await removeOldDownloads(files.dir);
    const kept = { file: openLoggerFile(files, warn), downloads: downloadsFolder(files.dir) };
    return (core) => attach(core, kept);
  },
  attach: (core) => attach(core, { file: noLoggerFile, downloads: null }),
};

type Kept = Pick<ManagerLoggersOptions, "file" | "downloads">;

function attach({ clock, config, events, hosts, log, system, use }: ManagerCore, kept: Kept) {
  const { tables } = use(dataPlane);
  const service = new ManagerLoggers({
    ...kept,
    system,
    hosts,
    events,
    clock,
    log,
    settings: () => config().loggers,
    topic: (name) => tables.topic(subjectOfTopic(name)),
  });
  return {
    service,
    ...loggersExtension(service),
    begin: () => service.begin(),
    reconfigured: () => service.reconfigure(),
    stepped: (kind: string, name: string) => {
      if (kind === "logger") service.stepped(name);
    },
    close: () => service.close(),
  };
}

export function loggersExtension(service: Loggers): FeatureExtension {
  return {
    transport: {
      handlers: loggerHandlers(service),
      snapshot: ({ isFull }) => ({ loggers: isFull ? service.list() : [] }),
      afterSnapshot: () => [{ type: "loggers_snapshot", loggers: service.list() }],
    },
    http: {
      names: { logger: () => service.list() },
      routes: ({ followers, log }) => [loggerDownloadRoute({ loggers: service, followers, log })],
    },
  };
}
