import { statfs } from "node:fs/promises";

/** Free space on the disk of a folder for this user, bytes. Rejects as statfs(2) fails. */
export async function freeSpace(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}
