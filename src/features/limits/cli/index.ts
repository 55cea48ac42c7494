import { visible } from "../../../base/text/visible-text.ts";
import type { CliFeature } from "../../../cli/command/feature.ts";
import { clockTime } from "../../../cli/output/process-text.ts";
import { limitReasons } from "../client/limit-text.ts";
import { LIMITS_GROUP } from "./program.ts";

export const limitsCli: CliFeature = {
  processCommands: LIMITS_GROUP,
  processRemarks: ({ limits }) =>
    new Map(
      limits.map(({ name, reached, cgroup_problem }) => [
        name,
        [...limitReasons(reached, clockTime), ...(cgroup_problem === null ? [] : [visible(cgroup_problem)])].join("; "),
      ]),
    ),
  configurationNotes: async ({ processes }) => {
    const limited = [...processes.values()].filter(({ cgroup, host }) => cgroup !== null && host === null);
    return limited.length === 0 ? [] : (await import("./cgroup-note.ts")).cgroupNotes(limited);
  },
};
