import { randomUUID } from "node:crypto";
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { MgrError, messageOf } from "../base/errors.ts";

const instanceFile = z.object({ uuid: z.uuid() });

/** The instance's name for life, kept in `<stateDir>/instance.json`; made at the first call. `conflict` if the file is not ours. */
export function instanceUuid(stateDir: string): string {
  const path = join(stateDir, "instance.json");
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  return read(path) ?? create(path);
}

function read(path: string): string | null {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new MgrError("conflict", `cannot read the instance's uuid: ${messageOf(error)}`, { cause: error });
  }
  try {
    return instanceFile.parse(JSON.parse(text)).uuid;
  } catch (cause) {
    throw new MgrError("conflict", `${path} holds no instance uuid; move it away, and a new one is made`, { cause });
  }
}

/** Written whole beside it, then linked: of two that do this at once one wins, and both read the winner's. */
function create(path: string): string {
  const temporary = `${path}.${randomUUID()}`;
  const fd = openSync(temporary, "wx", 0o600);
  try {
    writeSync(fd, `${JSON.stringify({ uuid: randomUUID() })}\n`);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  try {
    linkSync(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(temporary);
  }
  const uuid = read(path);
  if (uuid === null) throw new MgrError("conflict", `${path} was removed while it was made; start again`);
  return uuid;
}
