import { accessSync, constants, existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf } from "../../../../base/errors.ts";
import { assertPrivate, runtimeFolders } from "../../../../daemon/session/sockets.ts";
import { assertTrustedPath } from "../../../../files/state-folder.ts";
import { error, type Finding, ok, warning } from "../finding.ts";

/** Less free space than this is used up by logs and output in days, bytes. */
const LITTLE_BYTES = 1024 ** 3;
/** With less, a manager cannot save what users request for long, bytes. */
const MIN_BYTES = 64 * 1024 ** 2;

/** The state folder: only this user can change what is in it. */
export function stateFolderFinding(folder: string): Finding {
  const check = "state folder";
  try {
    assertTrustedPath(folder);
    accessSync(existing(folder), constants.W_OK | constants.X_OK);
    return ok(check, existsSync(folder) ? folder : `${folder}, which the manager creates`);
  } catch (cause) {
    const advice = "correct its owner and mode, or choose another folder with instance.state_dir";
    return error(check, messageOf(cause), advice);
  }
}

/** The folder of sockets: the first that exists must be this user's alone. */
export function runtimeFolderFinding(): Finding {
  const check = "sockets";
  const [preferred = "/tmp", ...others] = runtimeFolders();
  try {
    if (existsSync(preferred)) assertPrivate(preferred);
    return ok(check, `${preferred}${existsSync(preferred) ? "" : ", which the manager creates"}`);
  } catch (cause) {
    return warning(check, messageOf(cause), `until then the sockets are in ${others[0] ?? "the state folder"}`);
  }
}

/** Free space of the file systems of these folders, each once. */
export function spaceFindings(folders: readonly string[]): Finding[] {
  const seen = new Map<string, Finding>();
  for (const folder of folders) {
    const { bavail, bsize, type, blocks, ffree, files } = statfsSync(existing(folder));
    const place = `${type} ${blocks} ${bavail}`;
    if (seen.has(place)) continue;
    const free = bavail * bsize;
    const found = `${(free / 1024 ** 3).toFixed(1)} GiB free at ${folder}`;
    const advice = "remove what is not needed, or move the folder to another disk";
    const hasNoInodes = files > 0 && ffree === 0;
    if (hasNoInodes) seen.set(place, error("disk", `no inodes are left at ${folder}`, advice));
    else
      seen.set(
        place,
        free < MIN_BYTES ? error("disk", found, advice) : free < LITTLE_BYTES ? warning("disk", found, advice) : ok("disk", found),
      );
  }
  return [...seen.values()];
}

/** The folder, or the nearest above it that exists. */
function existing(folder: string): string {
  return existsSync(folder) ? folder : existing(dirname(folder));
}
