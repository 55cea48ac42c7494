import { accessSync, constants, existsSync, type Stats, statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { MgrError, messageOf } from "../../base/errors.ts";

interface Checked {
  argv: readonly string[];
  cwd: string;
  environment: Readonly<Record<string, string>>;
}

/**
 * Returns the file to execute, absolute or relative to `cwd`. Throws `spawn_failed` with the reason if it cannot be executed: a shell in
 * between would report only an exit code and a line of text.
 */
export function findProgram(program: Checked): string {
  checkDirectory(program.cwd);
  checkText(program);
  const [command = ""] = program.argv;
  if (command === "") throw refusal("the command is empty; name a program to run");
  if (!command.includes("/")) return searchPath(command, program);
  checkFile(isAbsolute(command) ? command : resolve(program.cwd, command), command);
  return command;
}

/**
 * Returns the file that `findProgram` would most likely return, for a caller that executes it and asks `findProgram` if that fails: each check costs a
 * start as much as a tenth of its fork. Throws `spawn_failed` if no folder of PATH has the program, or for text that the kernel would cut.
 */
export function expectedProgram(program: Checked): string {
  const [command = ""] = program.argv;
  if (command === "") return findProgram(program);
  checkText(program);
  if (command.includes("/")) return command;
  return filesInPath(command, program).find((file) => existsSync(file)) ?? findProgram(program);
}

function checkDirectory(cwd: string): void {
  const stats = statOrNull(cwd, `the working directory '${cwd}'`);
  if (stats === null) throw refusal(`the working directory '${cwd}' does not exist; create it or change 'cwd'`);
  if (!stats.isDirectory()) throw refusal(`'${cwd}' is not a directory; change 'cwd'`);
  if (!isPermitted(cwd)) throw refusal(`the working directory '${cwd}' may not be entered; check its permissions`);
}

/** Rejects NUL characters: the kernel's strings end there, and the rest would be lost silently. */
function checkText(program: Checked): void {
  if (program.argv.some((word) => word.includes("\0")))
    throw refusal("the command contains a NUL character, which cannot be passed to a program");
  for (const [name, value] of Object.entries(program.environment)) {
    if (name === "" || name.includes("=") || name.includes("\0") || value.includes("\0")) {
      throw refusal(`the environment variable ${JSON.stringify(name)} has a name or value that cannot be passed to a program`);
    }
  }
}

function searchPath(command: string, program: Checked): string {
  let obstacle: MgrError | null = null;
  for (const file of filesInPath(command, program)) {
    // Most folders do not have the program: no exception is created for those.
    if (!existsSync(file)) continue;
    try {
      checkFile(file, file);
      return file;
    } catch (error) {
      if (!(error instanceof MgrError)) throw error;
      // Like the shell, continue the search; but if it finds nothing, this obstacle is a better reason than "not found".
      if (isFile(file)) obstacle ??= error;
    }
  }
  const path = program.environment.PATH ?? "";
  throw obstacle ?? refusal(`there is no program '${command}' in PATH (${path}); check the command, or give its whole path`);
}

function filesInPath(command: string, { cwd, environment: { PATH = "" } }: Checked): string[] {
  return PATH.split(":").map((directory) => resolve(cwd, directory, command));
}

function checkFile(file: string, shown: string): void {
  const stats = statOrNull(file, `'${shown}'`);
  if (stats === null) throw refusal(`the program '${shown}' does not exist; check the command`);
  if (stats.isDirectory()) throw refusal(`'${shown}' is a directory, not a program`);
  if (!stats.isFile()) throw refusal(`'${shown}' is not a regular file and cannot be executed`);
  if (!isPermitted(file)) throw refusal(`the program '${shown}' may not be executed; check its permissions (chmod +x)`);
}

function statOrNull(path: string, what: string): Stats | null {
  try {
    return statSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "ENOTDIR" || code === "ENOENT") return null;
    throw refusal(`${what} cannot be read: ${messageOf(error)}`, error);
  }
}

/** Whether the path is a file; false also if it may not be examined: another user's part of PATH. */
function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function isPermitted(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EACCES") return false;
    throw refusal(`'${path}' cannot be used: ${messageOf(error)}`, error);
  }
}

function refusal(message: string, cause?: unknown): MgrError {
  return new MgrError("spawn_failed", message, { cause });
}
