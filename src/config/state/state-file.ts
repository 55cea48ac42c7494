import { constants } from "node:fs";
import * as fs from "node:fs/promises";
import { MgrError, messageOf } from "../../base/errors.ts";

/** The content of a file, null if there is none. Rejects with a sentence for the user if it cannot be read. */
export async function readStateFile(path: string): Promise<Buffer | null> {
  try {
    // Non-blocking: a named pipe would hold the manager up for ever, without a word.
    await using file = await fs.open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    if (!(await file.stat()).isFile()) throw new Error("it is not a regular file");
    return await file.readFile();
  } catch (error) {
    if (isMissing(error)) return null;
    throw new MgrError("internal", `${path} cannot be read: ${messageOf(error)}; fix or delete it`, { cause: error });
  }
}

/** Renames a damaged file to the returned path. */
export async function setAside(path: string): Promise<string> {
  const aside = await freeName(path);
  await fs.rename(path, aside);
  return aside;
}

/** Gives a damaged file a second name, the returned path. It stays in its place, for a program that is killed before it has saved what it read. */
export async function nameAsDamaged(path: string): Promise<string> {
  const aside = await freeName(path);
  await fs.link(path, aside);
  return aside;
}

async function freeName(path: string): Promise<string> {
  let number = 1;
  while (await exists(`${path}.damaged-${number}`)) number++;
  return `${path}.damaged-${number}`;
}

async function exists(path: string): Promise<boolean> {
  try {
    await fs.lstat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
