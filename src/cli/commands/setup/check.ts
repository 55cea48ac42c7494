import { counted } from "../../../base/text/counted.ts";
import { visible } from "../../../base/text/visible-text.ts";
import type { Config } from "../../../config/definition.ts";
import { CLI_FEATURES } from "../../../features/cli.ts";
import { loadConfig } from "../../manager/configuration.ts";
import { printJson } from "../../output/table.ts";

/** `mgr check`: validates a configuration; reports every problem at once, with exit code 2. Notes go to stderr. */
export async function check(flags: { config?: string; trustConfig?: boolean; profile?: string[]; json?: boolean }): Promise<void> {
  const config = await loadConfig(flags.config, flags);
  if (config.instance.bus.length > 0 && hasRoles(config))
    console.error("note: the roles of 'access' do not hold for clients of the server of 'instance.bus': its own permissions decide");
  for (const { configurationNotes } of CLI_FEATURES)
    for (const note of (await configurationNotes?.(config)) ?? []) console.error(`note: ${visible(note)}`);
  if (flags.json) printJson({ ok: true, problems: [], processes: [...config.processes.keys()] });
  else
    console.log(
      `${visible(config.file ?? "")}: valid, ${counted(config.processes.size, "process", "processes")} in ${counted(config.groups.size, "group", "groups")}`,
    );
}

const hasRoles = ({ access }: Config): boolean => access.users.size > 0 || access.default !== "admin";
