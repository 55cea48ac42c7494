import type { BigIntStats } from "node:fs";

/** Acquires the lock file for this process; null while another process has it. The lock is released when its holder dies. */
export type FileLock = (path: string) => { release(): void } | null;

/** Maximum wait for a lock held by another manager, and the retry interval, ms. A write takes a few ms. */
const LOCK_TIMEOUT_MS = 2_000;
const LOCK_RETRY_MS = 10;

/** Runs `work` while this process holds `<path>.lock`. Rejects if another program holds it for too long. */
export async function whileLocked<T>(path: string, lock: FileLock, work: () => Promise<T>): Promise<T> {
  const held = await acquire(`${path}.lock`, lock);
  try {
    return await work();
  } finally {
    held.release();
  }
}

async function acquire(path: string, lock: FileLock): Promise<{ release(): void }> {
  const deadline = performance.now() + LOCK_TIMEOUT_MS;
  for (;;) {
    const held = lock(path);
    if (held !== null) return held;
    if (performance.now() > deadline) throw new Error(`another program holds ${path}`);
    await new Promise((resolve) => setTimeout(resolve, LOCK_RETRY_MS));
  }
}

/** The reason why the content of a file may be known to others, or written by them; null: it is of this user alone. */
export function notPrivate({ mode, uid }: BigIntStats): string | null {
  if ((mode & 0o077n) !== 0n) return "readable or writable by group or others";
  return uid === BigInt(process.geteuid?.() ?? 0) ? null : "owned by another user";
}
