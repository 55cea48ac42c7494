import { randomBytes } from "node:crypto";
import { replaceFileSync } from "../../../files/replace-file.ts";
import { makeStateFolder } from "../../../files/state-folder.ts";
import { digestOf, NO_MAC } from "../trail/chain.ts";
import { keyPath, openTrail, readKey, trailFiles } from "../trail/files.ts";
import { linesBefore } from "../trail/lines.ts";
import { recordIn } from "../trail/records.ts";

const KEY_BYTES = 32;

/** Place at which the chain continues. */
export interface TrailEnd {
  readonly key: Buffer;
  /** Numbers of the files, oldest first. */
  readonly files: readonly number[];
  /** The file that is continued; null: a new one begins. */
  readonly current: { readonly file: number; readonly size: number } | null;
  readonly mac: string;
  readonly seq: number;
  /** The rest of a line that the end of the manager cut. */
  readonly cut: { readonly bytes: number; readonly sha256: string } | null;
}

/** Finds the end of the trail in a folder, which is made if it is missing. Rejects with the reason why it cannot be used. */
export async function openTrailEnd(folder: string): Promise<TrailEnd> {
  makeStateFolder(folder);
  const files = await trailFiles(folder);
  const known = readKey(folder);
  const key = known ?? randomBytes(KEY_BYTES);
  if (known === null) writeKey(folder, key);
  const last = files.at(-1);
  const { mac, seq, file, cut, size } = await lastRecord(folder, files);
  const isContinued = known !== null && last !== undefined && file === last;
  return { key, files, current: isContinued ? { file: last, size } : null, mac, seq, cut };
}

export function writeKey(folder: string, key: Buffer): void {
  replaceFileSync(keyPath(folder), `${key.toString("hex")}\n`, { isDurable: true });
}

/** The last record of the newest file that has any, and what is behind it in the newest file. */
async function lastRecord(folder: string, files: readonly number[]) {
  let cut: TrailEnd["cut"] = null;
  for (const number of files.toReversed()) {
    await using file = await openTrail(folder, number);
    const { size } = await file.stat();
    for await (const { text, bytes, isWhole } of linesBefore(file, size)) {
      if (!isWhole && number === files.at(-1)) cut = { bytes: bytes.length, sha256: digestOf(bytes) };
      const record = isWhole && text !== null ? recordIn(text) : null;
      const mac = text?.slice(-66, -2);
      if (record !== null && mac !== undefined) return { mac, seq: record.seq, file: number, cut, size };
    }
  }
  return { mac: NO_MAC, seq: 0, file: null, cut, size: 0 };
}
