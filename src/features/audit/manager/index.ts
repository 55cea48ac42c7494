import { join } from "node:path";
import type { AttachedFeature, ManagerCore, ManagerFeature } from "../../../app/feature.ts";
import { messageOf } from "../../../base/errors.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import { AUDIT_FOLDER } from "../trail/files.ts";
import type { Audit } from "./audit.ts";
import { auditHandlers } from "./handlers.ts";
import { ManagerAudit, type ManagerAuditOptions } from "./manager-audit.ts";
import { openTrailEnd } from "./trail-opening.ts";

/** Who gave which command. */
export const audit: ManagerFeature<Audit> = {
  name: "audit",
  async open({ files, warn }) {
    const folder = join(files.dir, AUDIT_FOLDER);
    const end = await openTrailEnd(folder).catch((error: unknown) => {
      const unusable = messageOf(error);
      warn(`commands cannot be recorded in the audit: ${unusable}`);
      return { unusable };
    });
    return (core) => attached(core, { folder, end });
  },
  attach: () => ({ service: NO_AUDIT, ...auditExtension(NO_AUDIT) }),
};

export function auditExtension(service: Audit): FeatureExtension {
  return { transport: { handlers: auditHandlers(service) } };
}

const NO_AUDIT: Audit = {
  page: async () => ({ entries: [], before: null, problem: "This manager has no state folder, and records no commands.", unrecorded: 0 }),
};

function attached({ clock, log, config }: ManagerCore, at: Pick<ManagerAuditOptions, "folder" | "end">): AttachedFeature<Audit> {
  const service = new ManagerAudit({ clock, log, settings: () => config().audit, instance: config().instance.name, ...at });
  return {
    service,
    ...auditExtension(service),
    observer: service.observer,
    http: {
      metrics: {
        define(writer) {
          writer.total("mgr_audit_unrecorded_total", "Commands whose records in the audit were lost.", [], (counter) =>
            counter.inc(service.unrecorded),
          );
          writer.total("mgr_audit_unsent_total", "Records of the audit that could not be sent to syslog.", [], (counter) =>
            counter.inc(service.unsent),
          );
          writer.gauge("mgr_audit_writable", "Whether commands are recorded: 1 or 0.", [], (gauge) =>
            gauge.set(service.problem === null ? 1 : 0),
          );
        },
      },
    },
    close: () => service.close(),
  };
}
