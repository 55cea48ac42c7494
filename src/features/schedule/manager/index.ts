import type { AttachedFeature, ManagerCore, ManagerFeature } from "../../../app/feature.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import { ManagerSchedules } from "./manager-schedules.ts";
import { noScheduleFile, openScheduleFile, type ScheduleFile } from "./saved-schedules.ts";
import type { Schedules } from "./schedules.ts";

/** Starts processes at the times of their schedules. */
export const schedule: ManagerFeature<Schedules> = {
  name: "schedule",
  open: async ({ files, warn }) => {
    const file = openScheduleFile(files, warn);
    return (core) => attach(core, file);
  },
  attach: (core) => attach(core, noScheduleFile),
};

function attach(core: ManagerCore, file: ScheduleFile): AttachedFeature<Schedules> {
  const service = new ManagerSchedules({ ...core, file });
  return {
    service,
    ...scheduleExtension(service),
    begin: () => service.begin(),
    stepped: (kind, name) => {
      if (kind === "process") service.stepped(name);
    },
    reconfigured: () => service.reconfigured(),
    close: () => service.close(),
  };
}

export function scheduleExtension(service: Schedules): FeatureExtension {
  return { transport: { handlers: {}, snapshot: ({ view }) => ({ schedules: service.list(view) }) } };
}
