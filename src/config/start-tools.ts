import { accessSync, constants, statSync } from "node:fs";
import { join } from "node:path";
import { quoteWords } from "../base/text/shell-words.ts";
import { type Command, toCommand } from "./command-line.ts";
import type { StartToolSetting } from "./definition.ts";

/** Value that selects no tool, even if one is configured. */
export const NO_TOOL = "none";
const PLACEHOLDER = "{command}";

/** Tools that are offered if their program is found; a configured tool of the same value replaces them. */
export const KNOWN_TOOLS: readonly StartToolSetting[] = [
  { value: "gdb", label: "GNU debugger", command: "gdb -q -ex run --args {command}" },
  { value: "valgrind", label: "Valgrind", command: "valgrind {command}" },
  { value: "strace", label: "strace", command: "strace -f {command}" },
  { value: "perf", label: "perf record", command: "perf record -g -- {command}" },
  { value: "vglrun", label: "VirtualGL (3D on the GPU)", command: "vglrun -d egl {command}" },
  { value: "software-gl", label: "Software OpenGL (Mesa)", command: "env LIBGL_ALWAYS_SOFTWARE=1 {command}" },
];

/** The tool that `value` names, installed or not, so that a selection remains valid. */
export function findTool(configured: readonly StartToolSetting[], value: string): StartToolSetting | null {
  return [...configured, ...KNOWN_TOOLS].find((tool) => tool.value === value) ?? null;
}

/** The tools that can be selected in addition to the default and "none": the configured ones, then known ones that are on `path`. */
export function offeredTools(configured: readonly StartToolSetting[], path: string | undefined): StartToolSetting[] {
  const taken = new Set(configured.map((tool) => tool.value));
  return [...configured, ...KNOWN_TOOLS.filter((tool) => !taken.has(tool.value) && isOnPath(programOf(tool), path ?? ""))];
}

/** Wraps `command` in `tool`. A line for the shell is run by a shell under the tool, so that the tool covers all of it. */
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
    // The file is missing or not executable for this user: it cannot be offered.
    return false;
  }
}
