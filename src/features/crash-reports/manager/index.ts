import type { ManagerFeature } from "../../../app/feature.ts";
import type { ArchivePart } from "../../../http/archive/archive-part.ts";
import { fileNameOf, json } from "../../../http/archive/archive-parts.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import type { CrashReports } from "./crash-reports.ts";
import { crashReportHandlers } from "./handlers.ts";
import { ManagerCrashReports } from "./manager-crash-reports.ts";

/** Reports in the archive, at most: the newest. */
const MAX_ARCHIVED = 200;

/** Reports about runs that failed. */
export const crashReports: ManagerFeature<CrashReports> = {
  name: "crash-reports",
  attach({ clock, events, hosts, log, processes }) {
    const service = new ManagerCrashReports({ clock, events, hosts, log });
    return {
      service,
      ...crashReportsExtension(service),
      runs: {
        prepare: async ({ name, success_exit_codes, ready, ready_timeout }) => ({
          spec: {
            crash: {
              success_exit_codes: [...success_exit_codes],
              ready_timeout_ms: ready === null ? null : ready_timeout,
              restarts: processes.process(name)?.restarts ?? null,
            },
          },
          memo: (memo) => memo,
          begun: () => {},
        }),
      },
      close: () => service.close(),
    };
  },
};

export function crashReportsExtension(service: CrashReports): FeatureExtension {
  return {
    transport: { handlers: crashReportHandlers(service) },
    http: { archiveParts: () => archiveParts(service) },
  };
}

async function* archiveParts(service: CrashReports): AsyncGenerator<ArchivePart> {
  const none = () => [];
  const { reports } = await service.list({ limit: MAX_ARCHIVED }, { kind: "full" }, none);
  for (const { name, run_id } of reports) {
    // It may have been deleted meanwhile, or its host may be away.
    const report = await service.one(name, run_id, none).catch(() => null);
    if (report !== null) yield { name: `crash-reports/${fileNameOf(name)}/${run_id}.json`, content: json(report) };
  }
}
