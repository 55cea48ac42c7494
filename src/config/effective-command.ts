import { type Command, toCommand } from "./command-line.ts";
import type { ProcessDefinition, StartToolSetting } from "./definition.ts";
import { findTool, NO_TOOL, wrapCommand } from "./start-tools.ts";
import { overrideOf, PRIMARY, type ProcessSettings } from "./state/process-settings.ts";

type Commands = Pick<ProcessDefinition, "command" | "alternate_commands" | "start_tool">;

/** The label in effect: one that is not configured (any more) means the primary command. */
export function selectedLabel({ alternate_commands }: Pick<Commands, "alternate_commands">, { which }: ProcessSettings): string {
  return alternate_commands.has(which) ? which : PRIMARY;
}

/** The command of the next start: the label's override, else its command, wrapped by the start tool (docs/design/wire-rules.md, "Processes"). */
export function effectiveCommand(definition: Commands, settings: ProcessSettings, tools: readonly StartToolSetting[]): Command {
  const label = selectedLabel(definition, settings);
  const override = overrideOf(settings, label);
  const command = override === null ? (definition.alternate_commands.get(label) ?? definition.command) : toCommand(override);
  const tool = toolInEffect(definition, settings, tools);
  return tool === null ? command : wrapCommand(command, tool);
}

function toolInEffect({ start_tool }: Commands, settings: ProcessSettings, tools: readonly StartToolSetting[]): StartToolSetting | null {
  for (const value of [settings.start_tool, start_tool]) {
    if (value === NO_TOOL) return null;
    // A tool that is no longer configured means the default.
    const tool = value === null ? null : findTool(tools, value);
    if (tool !== null) return tool;
  }
  return null;
}
