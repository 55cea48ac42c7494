import * as fs from "node:fs/promises";
import { isMissing } from "./state-file.ts";

/** Renames a damaged file to the returned path. */
export async function setAside(path: string): Promise<string> {
  const aside = await freeName(path);
  await fs.rename(path, aside);
  return aside;
}

/** Gives a damaged file a second name, the returned path. It stays in its place, in case the program is killed before it has saved what it read. */
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
