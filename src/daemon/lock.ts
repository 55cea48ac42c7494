import { closeSync, constants, fstatSync, ftruncateSync, mkdirSync, openSync, readFileSync, statSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { MgrError, messageOf } from "../base/errors.ts";
import { tryLockExclusive, tryLockShared } from "./native.ts";
import { bootId, isAlive, startTimeOf } from "./proc.ts";

export { instanceUuid } from "./instance.ts";

const lockInfo = z.object({
  pid: z.number().int().min(1),
  /** Clock ticks since boot (`/proc/PID/stat` field 22): with the pid it names the process. */
  start_time: z.string(),
  boot_id: z.string(),
  instance_uuid: z.string(),
  /** Version of the contract that the holder speaks. */
  contract: z.number().int(),
  /** Path of the holder's unix socket. */
  socket: z.string(),
});
/** What the holder of a lock tells about itself in the lock file. */
export type LockInfo = z.infer<typeof lockInfo>;

export interface Lock {
  readonly path: string;
  readonly info: LockInfo;
  /** The file stays: only the kernel's lock on it says that somebody is there. */
  release(): void;
}

/** Somebody may look at the lock, or have it and not yet have written who he is: so long we look again, milliseconds. */
const SETTLE_MS = 2_000;
const LOOK_AGAIN_MS = 20;

/**
 * Takes the lock for the life of this process, or says who has it. A file left by a dead holder, even a torn one, is
 * simply taken over. Rejects with `conflict` if somebody has it who does not say who he is.
 */
export async function acquireLock(
  path: string,
  about: Pick<LockInfo, "instance_uuid" | "contract" | "socket">,
): Promise<Lock | { holder: LockInfo }> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const deadline = performance.now() + SETTLE_MS;
  for (;;) {
    const fd = take(path);
    if (fd !== null) return write(fd, path, about);
    const info = readInfo(path);
    if (info && isHolder(info)) return { holder: info };
    if (performance.now() > deadline) {
      throw new MgrError("conflict", `${path} is locked by a process that does not say who it is; find it with: fuser -v ${path}`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

/** Whether somebody holds the lock now, and what stands in the file: of the holder, or of the last one (null: nothing readable). */
export async function readLock(path: string): Promise<{ held: boolean; info: LockInfo | null }> {
  const deadline = performance.now() + SETTLE_MS;
  for (;;) {
    const held = isHeld(path);
    const info = readInfo(path);
    if (!held || (info && isHolder(info)) || performance.now() > deadline) return { held, info };
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
}

/** The locked file, or null if it is locked by another. Node opens files close-on-exec: no child inherits the lock. */
function take(path: string): number | null {
  const fd = openLockFile(path, constants.O_RDWR | constants.O_CREAT);
  try {
    // Somebody may have removed or replaced the file after we opened it: such a lock would exclude nobody.
    if (tryLockExclusive(fd) && isSameFile(fd, path)) return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  closeSync(fd);
  return null;
}

/** Looks with a shared lock, so that those who look do not take each other for holders. */
function isHeld(path: string): boolean {
  let fd: number;
  try {
    fd = openLockFile(path, constants.O_RDONLY);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw error;
  }
  try {
    return !tryLockShared(fd);
  } finally {
    closeSync(fd);
  }
}

function openLockFile(path: string, flags: number): number {
  try {
    return openSync(path, flags | constants.O_NOFOLLOW, 0o600);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") throw cause;
    throw new MgrError("conflict", `cannot open the lock file: ${messageOf(cause)}`, { cause });
  }
}

function isSameFile(fd: number, path: string): boolean {
  const ours = fstatSync(fd);
  const there = statSync(path, { throwIfNoEntry: false });
  return there?.ino === ours.ino && there.dev === ours.dev;
}

function write(fd: number, path: string, about: Pick<LockInfo, "instance_uuid" | "contract" | "socket">): Lock {
  const { instance_uuid, contract, socket } = about;
  const info: LockInfo = {
    pid: process.pid,
    start_time: startTimeOf(process.pid) ?? "",
    boot_id: bootId(),
    instance_uuid,
    contract,
    socket,
  };
  const text = `${JSON.stringify(info)}\n`;
  writeSync(fd, text, 0);
  ftruncateSync(fd, Buffer.byteLength(text));
  let open = true;
  return {
    path,
    info,
    release() {
      if (open) closeSync(fd);
      open = false;
    },
  };
}

function readInfo(path: string): LockInfo | null {
  try {
    return lockInfo.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return null; // Not there, torn, or by another program: nobody we could name.
  }
}

/** The holder that the file speaks of lives; else the file is of an earlier one. */
function isHolder(info: LockInfo): boolean {
  return info.boot_id === bootId() && isAlive(info.pid, info.start_time);
}
