import { randomUUID } from "node:crypto";
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { MgrError } from "../../base/errors.ts";
import { readStateText } from "../../files/state-file.ts";
import { makeStateFolder } from "../../files/state-folder.ts";
import { findHolders } from "./lock-holder.ts";

const instanceFile = z.object({ uuid: z.uuid() });

/**
 * Returns the instance's permanent uuid, kept in `<stateDir>/instance.json`. It is that of the manager or daemon that runs with this
 * folder, even if the file was changed; else the file's, else a new one. Throws `conflict` if the file is unusable.
 */
export function instanceUuid(stateDir: string): string {
  const path = join(stateDir, "instance.json");
  makeStateFolder(stateDir);
  const [manager, daemon] = findHolders([join(stateDir, "manager.lock"), join(stateDir, "daemon.lock")]);
  const living = manager ?? daemon ?? null;
  if (living !== null) {
    keepInstanceUuid(stateDir, living.instance_uuid);
    return living.instance_uuid;
  }
  return read(path) ?? create(path);
}

/** Rewrites the file if it is missing or has other content. */
export function keepInstanceUuid(stateDir: string, uuid: string): void {
  const path = join(stateDir, "instance.json");
  if (readStateText(path) === contentOf(uuid)) return;
  const temporary = write(path, uuid);
  renameSync(temporary, path);
}

function read(path: string): string | null {
  const text = readStateText(path);
  if (text === null) return null;
  try {
    return instanceFile.parse(JSON.parse(text)).uuid;
  } catch (cause) {
    throw new MgrError("conflict", `${path} holds no instance uuid; move it away, and a new one is made`, { cause });
  }
}

/** Creates the file under another name, then links it: if two programs do this at once, one wins, and both read its file. */
function create(path: string): string {
  const temporary = write(path, randomUUID());
  try {
    linkSync(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(temporary);
  }
  const uuid = read(path);
  if (uuid === null) throw new MgrError("conflict", `${path} was removed while it was being created; start again`);
  return uuid;
}

/** Writes a new file beside `path`, synced to disk. Returns its path. */
function write(path: string, uuid: string): string {
  const temporary = `${path}.${randomUUID()}`;
  const fd = openSync(temporary, "wx", 0o600);
  try {
    writeSync(fd, contentOf(uuid));
    fsyncSync(fd);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  } finally {
    closeSync(fd);
  }
  return temporary;
}

function contentOf(uuid: string): string {
  return `${JSON.stringify({ uuid })}\n`;
}
