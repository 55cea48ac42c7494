import { type BigIntStats, statSync } from "node:fs";

/** A file that changed this recently may change again without a new time stamp (kernel ticks are up to 10 ms), ms. */
const UNSETTLED_MS = 100;

/** Differs whenever the file may have changed; null: always read it again. */
export function identityOf(path: string): string | null {
  let stats: BigIntStats;
  try {
    stats = statSync(path, { bigint: true });
  } catch {
    return null; // The reader finds the reason.
  }
  const { dev, ino, mode, uid, gid, size, mtimeNs, ctimeNs } = stats;
  const age = Date.now() - Number(stats.ctimeMs);
  return age < UNSETTLED_MS && age > -UNSETTLED_MS ? null : [dev, ino, mode, uid, gid, size, mtimeNs, ctimeNs].join(" ");
}
