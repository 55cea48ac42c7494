import { existsSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { runningInstance } from "../../app/local-daemon/running-instance.ts";
import { visible } from "../../base/text/visible-text.ts";
import { isCaller } from "../../files/configuration.ts";

/** Name of the configuration file that commands look for. */
export const CONFIG_FILE = "mgr.yaml";

/** Files that were reported: once per command, however often they are read. */
const reported = new Set<string>();

/** The file of `-c`; without it `mgr.yaml` in the working folder, or in the nearest folder above that has one. */
export function configPath(named: string | undefined): string {
  if (named !== undefined) return named;
  const folder = foldersUpwards().find((each) => isConfigured(each));
  if (folder === undefined || folder === process.cwd()) return CONFIG_FILE;
  const file = join(folder, CONFIG_FILE);
  if (!reported.has(file)) process.stderr.write(`mgr: using ${visible(file)}\n`);
  reported.add(file);
  return relative(process.cwd(), file);
}

/** The working folder, then the folders above it. */
export function foldersUpwards(): string[] {
  const folders: string[] = [];
  for (let folder = process.cwd(), last = ""; folder !== last; last = folder, folder = resolve(folder, "..")) folders.push(folder);
  return folders;
}

/**
 * Whether a folder has a configuration. A file that was removed while its manager runs counts too: its processes have to be stopped from
 * somewhere.
 */
function isConfigured(folder: string): boolean {
  const file = join(folder, CONFIG_FILE);
  if (folder === process.cwd()) return existsSync(file) || runningInstance(file) !== null;
  const owner = statSync(file, { throwIfNoEntry: false })?.uid;
  return owner !== undefined && isTrusted(owner);
}

/** Whether the owner of a file is trusted: a file that another user left in a folder above, such as /tmp, must not run commands as this user. */
function isTrusted(owner: number): boolean {
  return owner === 0 || owner === process.geteuid?.() || isCaller(owner);
}
