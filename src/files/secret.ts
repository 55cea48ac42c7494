import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { MgrError, messageOf } from "../base/errors.ts";
import { isTrustedOwner } from "./owners.ts";
import { ownerAndMode } from "./permissions.ts";

/** The place of a secret: a file, or a variable of the environment. The other one is null. */
export interface Secret {
  readonly file: string | null;
  readonly env: string | null;
}

/** Longest secret, bytes. */
const MAX_SECRET_BYTES = 16_384;
const OTHERS = 0o077;

/**
 * The value of a secret, read anew so that it can be replaced while the manager runs. Throws `conflict` with what to do. `base`: folder of relative
 * paths.
 */
export function readSecret({ file, env }: Secret, base: string): string {
  const value = file === null ? process.env[env ?? ""] : readSecretFile(resolve(base, file));
  const text = value?.trim() ?? "";
  if (text === "")
    throw new MgrError("conflict", file === null ? `the variable ${env} is not set where the manager runs` : `${file} is empty`);
  if (/[\r\n\0]/.test(text)) throw new MgrError("conflict", `${file ?? env} has more than one line`);
  return text;
}

function readSecretFile(path: string): string {
  let fd: number;
  try {
    // Never waits for the other end of a named pipe.
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch (error) {
    throw new MgrError("conflict", `${path} cannot be read: ${messageOf(error)}`);
  }
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new MgrError("conflict", `${path} is not a regular file`);
    if (!isTrustedOwner(stats.uid) || (stats.mode & OTHERS) !== 0)
      throw new MgrError("conflict", `${path} can be read by other users (${ownerAndMode(stats)}): run chmod 600 on it`);
    if (stats.size > MAX_SECRET_BYTES) throw new MgrError("conflict", `${path} has more than ${MAX_SECRET_BYTES} bytes`);
    return readFileSync(fd, "utf8");
  } finally {
    closeSync(fd);
  }
}

/** A text without the secrets that it may quote. */
export function masked(text: string, secrets: readonly string[]): string {
  return secrets.filter((secret) => secret !== "").reduce((shown, secret) => shown.replaceAll(secret, "***"), text);
}
