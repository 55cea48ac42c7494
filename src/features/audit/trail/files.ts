import { constants } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isMissing, openStateFileAsync, readStateText, type StateFileOptions } from "../../../files/state-file.ts";

/** Folder of the trail in the state folder. */
export const AUDIT_FOLDER = "audit";
/** Longest line, bytes: longer ones are no records. */
export const MAX_LINE_BYTES = 1024 * 1024;
export const NEWLINE = 10;
const KEY_FILE = "key";
const KEY = /^[0-9a-f]{64}\n?$/;
const NAME = /^audit-(\d{6,15})\.jsonl$/;

export const keyPath = (folder: string): string => join(folder, KEY_FILE);
export const trailPath = (folder: string, file: number): string => join(folder, nameOf(file));
export const nameOf = (file: number): string => `audit-${String(file).padStart(6, "0")}.jsonl`;

/** Numbers of the trail's files, oldest first. */
export async function trailFiles(folder: string): Promise<number[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  return names
    .map((name) => Number(NAME.exec(name)?.[1] ?? Number.NaN))
    .filter(Number.isSafeInteger)
    .sort((a, b) => a - b);
}

/** The key; null: there is none, or the file is damaged. Throws as `openStateFile` does. */
export function readKey(folder: string, options: StateFileOptions = {}): Buffer | null {
  const text = readStateText(keyPath(folder), { ...options, maxBytes: 1_024 });
  return text !== null && KEY.test(text) ? Buffer.from(text.trim(), "hex") : null;
}

export const openTrail = (folder: string, file: number) => openStateFileAsync(trailPath(folder, file), constants.O_RDONLY);
