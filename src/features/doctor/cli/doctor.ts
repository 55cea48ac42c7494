import { existsSync } from "node:fs";
import { visible } from "../../../base/text/visible-text.ts";
import { dataFolders } from "../../../cli/command/data-folders.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { configPath } from "../../../cli/manager/config-path.ts";
import { loadConfig } from "../../../cli/manager/configuration.ts";
import { localSocketOf } from "../../../cli/manager/local-instance.ts";
import { type Colour, paint, printJson } from "../../../cli/output/table.ts";
import type { Config } from "../../../config/definition.ts";
import { runtimeFolderFinding, spaceFindings, stateFolderFinding } from "./checks/folders.ts";
import { hostFindings } from "./checks/hosts.ts";
import { machineFindings } from "./checks/machine.ts";
import { certificateFindings, portFinding } from "./checks/port.ts";
import { error, type Finding, ok, warning } from "./finding.ts";

interface DoctorFlags {
  config?: string;
  trustConfig?: boolean;
  profile?: string[];
  json?: boolean;
}

const COLOURS: Readonly<Record<Finding["level"], Colour>> = { ok: "green", warning: "yellow", error: "red" };

/** `mgr doctor`: checks the machine and the configuration. Exit code 1: there is an error. */
export async function doctor(flags: DoctorFlags): Promise<void> {
  const findings = [...machineFindings(), runtimeFolderFinding(), ...(await configurationFindings(flags))];
  if (flags.json) printJson(findings);
  else for (const line of findings.flatMap(findingLines)) console.log(line);
  if (findings.some(({ level }) => level === "error")) process.exitCode = EXIT.failed;
}

async function configurationFindings(flags: DoctorFlags): Promise<Finding[]> {
  const file = configPath(flags.config);
  if (flags.config === undefined && !existsSync(file))
    return [
      warning(
        "configuration",
        "there is none here: state folder, disk, port and certificate were not checked",
        "create one with: mgr init",
      ),
    ];
  let config: Config;
  try {
    config = await loadConfig(flags.config, { ...flags, json: false });
  } catch (cause) {
    if (!(cause instanceof CommandFailure)) throw cause;
    return [error("configuration", `${file} cannot be used`, cause.message)];
  }
  return [ok("configuration", `${file}, ${config.processes.size} processes`), ...(await instanceFindings(config, flags))];
}

async function instanceFindings(config: Config, flags: DoctorFlags): Promise<Finding[]> {
  const { instance } = config;
  const state = stateFolderFinding(instance.state_dir);
  // Files of a folder that others can change are not trusted.
  const isRunning = state.level === "ok" && (await localSocketOf(instance.state_dir)) !== null;
  return [
    state,
    ...spaceFindings(dataFolders(config)),
    await portFinding(instance, isRunning),
    ...certificateFindings(instance),
    ...(isRunning ? await hostFindings(flags) : []),
  ];
}

/** The lines of a finding, safe for a terminal. */
export function findingLines({ check, level, found, advice }: Finding): string[] {
  const more = advice === null ? [] : advice.split("\n").map((line) => `         ${visible(line)}`);
  return [`${paint(COLOURS[level], level.padEnd(7))}  ${visible(check)}: ${visible(found)}`, ...more];
}
