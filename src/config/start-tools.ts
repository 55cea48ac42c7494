import { accessSync, constants, statSync } from "node:fs";
import { join } from "node:path";
import { quoteWords } from "../base/shell-words.ts";
import { type Command, toCommand } from "./command-line.ts";
import type { StartToolSetting } from "./definition.ts";

/** Starts without a tool, also where one is configured. */
export const NO_TOOL = "none";
const PLACEHOLDER = "{command}";

/** Offered where their program is found; a configured tool of the same value takes its place. */
export const KNOWN_TOOLS: readonly StartToolSetting[] = [
  { value: "gdb", label: "GNU debugger", command: "gdb -q -ex run --args {command}" },
  { value: "valgrind", label: "Valgrind", command: "valgrind {command}" },
  { value: "strace", label: "strace", command: "strace -f {command}" },
  { value: "perf", label: "perf record", command: "perf record -g -- {command}" },
  { value: "vglrun", label: "VirtualGL (3D on the GPU)", command: "vglrun -d egl {command}" },
  { value: "software-gl", label: "Software OpenGL (Mesa)", command: "env LIBGL_ALWAYS_SOFTWARE=1 {command}" },
];

/** The tool that `value` names, installed or not: what was selected stays what it is. */
export function findTool(configured: readonly StartToolSetting[], value: string): StartToolSetting | null {
  return [...configured, ...KNOWN_TOOLS].find((tool) => tool.value === value) ?? null;
}

/** What can be selected beside the default and "none": the configured tools, then known ones that are on `path`. */
export function offeredTools(configured: readonly StartToolSetting[], path: string | undefined): StartToolSetting[] {
  const taken = new Set(configured.map((tool) => tool.value));
  return [...configured, ...KNOWN_TOOLS.filter((tool) => !taken.has(tool.value) && isOnPath(programOf(tool), path ?? ""))];
}

/** `command` under `tool`. A line for the shell is run by a shell under it, so that the tool gets all of it. */
export function wrapCommand(command: Command, tool: StartToolSetting): Command {
  const { program } = command;
  const argv = program.kind === "exec" ? program.argv : ["/bin/sh", "-c", program.line];
  const quoted = quoteWords(argv);
  const template = toCommand(tool.command).program;
  if (template.kind === "shell")
    return toCommand(
      template.line.replaceAll(PLACEHOLDER, () => quoted),
      true,
    );
  return toCommand(template.argv.flatMap((word) => (word === PLACEHOLDER ? argv : [word.replaceAll(PLACEHOLDER, () => quoted)])));
}

function programOf({ command }: StartToolSetting): string {
  return command.slice(0, command.indexOf(" "));
}

/** Whether an executable file of this name is in a folder of `path`, or `program` is the absolute path of one. */
export function isOnPath(program: string, path: string): boolean {
  if (program.startsWith("/")) return isExecutable(program);
  return path.split(":").some((folder) => folder.startsWith("/") && isExecutable(join(folder, program)));
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    // Not there, or not for us: both mean that it cannot be offered.
    return false;
  }
}
