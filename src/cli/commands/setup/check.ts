import { visible } from "../../../base/visible-text.ts";
import { CLI_FEATURES } from "../../../features/cli.ts";
import { loadConfig } from "../../manager/configuration.ts";
import { printJson } from "../../output/table.ts";

/** `mgr check`: validates a configuration; reports every problem at once, with exit code 2. Notes go to stderr. */
export async function check(flags: { config?: string; trustConfig?: boolean; json?: boolean }): Promise<void> {
  const config = await loadConfig(flags.config, flags);
  for (const { configurationNotes } of CLI_FEATURES)
    for (const note of (await configurationNotes?.(config)) ?? []) console.error(`note: ${visible(note)}`);
  if (flags.json) printJson({ ok: true, problems: [], processes: [...config.processes.keys()] });
  else
    console.log(
      `${visible(config.file ?? "")}: valid, ${counted(config.processes.size, "process", "processes")} in ${counted(config.groups.size, "group", "groups")}`,
    );
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
