import type { ManagerCore } from "../../../app/feature.ts";
import { readList } from "../../../app/hosts/list-reader.ts";
import { MgrError } from "../../../base/errors.ts";
import { withoutSecrets } from "../../../config/describe-definition.ts";
import type { RunSettings } from "../../../contract/run-settings.ts";
import { type SettingRow, settingPage } from "../contract.ts";
import { DIFFERENCES } from "../rows.ts";
import type { RunningSettings } from "../wire.ts";

/** Rejects with `not_found`, `not_running` and `host_unavailable`. */
export type ReadRunningSettings = (name: string) => Promise<RunningSettings>;

/** The address has the run's token for the bus, which nothing else may use. */
const TOKEN_VARIABLE = "MGR_BUS_URL";

export function readRunningSettings({
  nextRun,
  named,
  processes,
}: Pick<ManagerCore, "nextRun" | "named" | "processes">): ReadRunningSettings {
  return async (name) => {
    const { spec } = nextRun(name);
    const run_id = processes.livingRun(name);
    const host = processes.hostOf(name);
    if (run_id === null || host === null)
      throw new MgrError("not_running", `'${name}' is not running; start it to compare what it runs with`);
    const session = named.session(host);
    const { data, next, ...rest } = await session.command((id) =>
      session.link.request("running_settings", { session: id, run_id, name, ...settingsOf(spec) }),
    );
    const rows = await readList(session, { data, next }, settingPage);
    const isOutdated = processes.needsRestart(name);
    return { host: session.link.host, ...rest, settings: rows.map((row) => shown(row, isOutdated)) };
  };
}

function settingsOf(spec: RunSettings): RunSettings {
  const { cwd, base_dir, environment, pass_environment, inherited, env_files, user, umask, limits, scheduling } = spec;
  return { cwd, base_dir, environment, pass_environment, inherited, env_files, user, umask, limits, scheduling };
}

function shown(row: SettingRow, isOutdated: boolean): SettingRow {
  const { group, name, running, configured, comparison } = row;
  const value = (text: string | null) => (text === null || group !== "environment" ? text : withoutSecret(name, text));
  const reason =
    row.reason ?? (isOutdated && DIFFERENCES.has(comparison) ? "perhaps by the configuration, which has changed since its start" : null);
  return { ...row, running: value(running), configured: value(configured), reason };
}

function withoutSecret(name: string, value: string): string {
  return name === TOKEN_VARIABLE ? "***" : (withoutSecrets({ [name]: value })[name] ?? "***");
}
