import { MgrError } from "../../../base/errors.ts";
import type { HostFeature } from "../../../daemon/host-feature.ts";
import { UserNames } from "../../../daemon/process/user-names.ts";
import type { RUNNING_SETTINGS_REQUESTS } from "../contract.ts";
import { compareSettings } from "./compare.ts";
import { nextSettings } from "./next-settings.ts";
import { readSettings } from "./proc-settings.ts";

/** Reads what processes of the host run with, and compares it with what their next start would have. */
export const runningSettingsHost: HostFeature<keyof typeof RUNNING_SETTINGS_REQUESTS> = {
  begin({ lists, owners }) {
    const users = new UserNames();
    /** Pids of the main processes that live, by run. */
    const pids = new Map<string, number>();
    return {
      service: null,
      handlers: {
        running_settings: ({ run_id, session: _session, ...spec }) =>
          lists.run(async () => {
            users.refresh();
            const { next, problem } = await nextSettings(spec, users.of(process.geteuid?.() ?? 0));
            const pid = pids.get(run_id);
            // A pid that was given to another process since does not belong to the run.
            const running = pid !== undefined && owners().of(pid) === spec.name ? readSettings(pid) : null;
            if (pid === undefined || running === null)
              throw new MgrError("not_running", `the main process of '${spec.name}' has ended; there is nothing to compare`);
            const rows = lists.pages.of(compareSettings(running, next, (uid) => users.of(uid)));
            const environment = running.environment === null ? "unreadable" : running.isCut ? "cut" : "whole";
            return { ...rows, pid, environment, problem };
          }),
      },
      runChanged: (_kind, { report }) => {
        if (report.exit === null && !report.extinct) pids.set(report.run_id, report.pid);
        else pids.delete(report.run_id);
      },
    };
  },
};
