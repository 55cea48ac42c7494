import { closeSync, constants, fstatSync, ftruncateSync, statSync, writeSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { MgrError } from "../../base/errors.ts";
import { hasShape, isText, type Shape } from "../../base/shape.ts";
import { poll } from "../../base/timing/wait.ts";
import { isMissing, openStateFile, type StateFileOptions } from "../../files/state-file.ts";
import { makeStateFolder } from "../../files/state-folder.ts";
import type { HandedOver } from "../handover/handed-over.ts";
import { tryLockExclusive, tryLockShared } from "../native/libc.ts";
import { bootId, startTimeOf } from "../proc/proc.ts";
import { findHolder, namesOf } from "./lock-holder.ts";
import { isHolder, LOCK_INFO, type LockInfo, readLockInfo } from "./lock-info.ts";

export type { LockInfo } from "./lock-info.ts";

/** Identity that a process publishes when it acquires a lock. */
export type LockAbout = Pick<LockInfo, "instance_uuid" | "contract" | "socket">;

export interface Lock {
  readonly path: string;
  readonly info: LockInfo;
  /** Whether the lock file is still the locked one. Rejects if that cannot be determined. */
  isInPlace(): Promise<boolean>;
  /**
   * Locks the file that is at the path now, or a new one, in place of a lock file that was removed or replaced. The lock is held all the
   * time: other processes find its holder by the old file until then. Returns false if another process has locked the new file.
   */
  renew(): boolean;
  /** Publishes another address at which the holder listens. */
  moveTo(socket: string): void;
  /** Hands the lock to the program that replaces this one; `takeLock` is its other end. */
  handOver(): HandedOver;
  /** Releases the lock. The file stays: only the kernel's lock on it shows that it is held. */
  release(): void;
}

interface LockState {
  readonly path: string;
  readonly info: LockInfo;
}

const LOCK_STATE: Shape<LockState> = { path: isText, info: (value): value is LockInfo => hasShape(value, LOCK_INFO) };

/** Retry window in milliseconds: the lock may be held by a process that has not written its identity yet. */
const SETTLE_MS = 2_000;
const RECHECK_INTERVAL_MS = 20;
/** Maximum size of content that is padded, bytes: longer content was not written by mgr. */
const MAX_PADDED_BYTES = 4_096;

/**
 * Acquires the lock for the life of this process, or returns its holder, even if the file was removed meanwhile. A file left by a dead
 * holder, even an incomplete one, is reused. Rejects with `conflict` if the holder does not identify itself.
 */
export async function acquireLock(path: string, about: LockAbout): Promise<Lock | { holder: LockInfo }> {
  makeStateFolder(dirname(path));
  let result = tryLock(path, about);
  const isKnown = () => {
    result ??= tryLock(path, about);
    return result !== null;
  };
  await poll(isKnown, { everyMs: RECHECK_INTERVAL_MS, forMs: SETTLE_MS });
  if (result !== null) return result;
  throw new MgrError("conflict", `${path} is locked by a process that has not written its identity; find it with: fuser -v ${path}`);
}

/** Takes over the lock that this process held before its program was replaced. Throws `conflict`. */
export function takeLock({ state, descriptors: { file } }: HandedOver): Lock {
  if (hasShape(state, LOCK_STATE) && file !== undefined) return new FileLock(file, state.path, state.info);
  throw new MgrError("conflict", "the lock was handed over without its file, or without the identity of its holder");
}

/** null: it is locked by a process that does not identify itself. */
function tryLock(path: string, about: LockAbout): Lock | { holder: LockInfo } | null {
  const fd = acquireLockFile(path);
  if (fd === null) {
    const info = readLockInfo(path);
    return info && isHolder(info) ? { holder: info } : null;
  }
  const holder = findHolder(path, fd);
  if (holder === null) return lockWith(fd, path, about);
  closeSync(fd);
  return { holder };
}

/** Whether the lock is held now, and the identity that its holder or last holder published (null: nothing readable). */
export async function readLock(path: string, options: StateFileOptions = {}): Promise<{ held: boolean; info: LockInfo | null }> {
  let held = isHeld(path, options);
  let info = readLockInfo(path, options);
  const isKnown = () => !held || (info !== null && isHolder(info));
  const checkAgain = () => {
    held = isHeld(path, options);
    info = readLockInfo(path, options);
    return isKnown();
  };
  if (!isKnown()) await poll(checkAgain, { everyMs: RECHECK_INTERVAL_MS, forMs: SETTLE_MS });
  if (held) return { held, info };
  const holder = findHolder(path);
  return { held: holder !== null, info: holder ?? info };
}

/** Returns the locked file, or null if another process has locked it. Node opens files close-on-exec: no child inherits the lock. */
export function acquireLockFile(path: string): number | null {
  const fd = openStateFile(path, constants.O_RDWR | constants.O_CREAT);
  try {
    // The file may have been removed or replaced after it was opened: such a lock would exclude no other process.
    if (tryLockExclusive(fd) && isSameFile(fd, path)) return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  closeSync(fd);
  return null;
}

/** Checks with a shared lock, so that concurrent checks do not mistake each other for holders. */
function isHeld(path: string, options: StateFileOptions): boolean {
  let fd: number;
  try {
    fd = openStateFile(path, constants.O_RDONLY, options);
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
  try {
    return !tryLockShared(fd);
  } finally {
    closeSync(fd);
  }
}

function isSameFile(fd: number, path: string): boolean {
  const ours = fstatSync(fd);
  const there = statSync(path, { throwIfNoEntry: false });
  return there?.ino === ours.ino && there.dev === ours.dev;
}

function lockWith(fd: number, path: string, about: LockAbout): Lock {
  try {
    const { instance_uuid, contract, socket } = about;
    const info: LockInfo = {
      pid: process.pid,
      start_time: startTimeOf(process.pid) ?? "",
      boot_id: bootId(),
      instance_uuid,
      contract,
      socket,
      paths: namesOf(path),
    };
    writeInfo(fd, info);
    return new FileLock(fd, path, info);
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

class FileLock implements Lock {
  readonly path: string;
  #info: LockInfo;
  /** Descriptor of the lock file; null: released. */
  #fd: number | null;

  constructor(fd: number, path: string, info: LockInfo) {
    this.path = path;
    this.#fd = fd;
    this.#info = info;
  }

  get info(): LockInfo {
    return this.#info;
  }

  async isInPlace(): Promise<boolean> {
    // Asynchronous: a network file system may hang.
    const there = await stat(this.path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
      throw error;
    });
    if (this.#fd === null) return true;
    const ours = fstatSync(this.#fd);
    return there?.ino === ours.ino && there.dev === ours.dev;
  }

  renew(): boolean {
    const old = this.#fd;
    if (old === null || isSameFile(old, this.path)) return true;
    makeStateFolder(dirname(this.path));
    const fd = acquireLockFile(this.path);
    if (fd === null) return false;
    try {
      this.#info = { ...this.#info, paths: [...new Set([...this.#info.paths, ...namesOf(this.path)])] };
      writeInfo(fd, this.#info);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
    this.#fd = fd;
    closeSync(old);
    return true;
  }

  moveTo(socket: string): void {
    this.#info = { ...this.#info, socket };
    if (this.#fd !== null) writeInfo(this.#fd, this.#info);
  }

  handOver(): HandedOver {
    const state = { path: this.path, info: this.#info } satisfies LockState;
    return { state, descriptors: this.#fd === null ? {} : { file: this.#fd }, bytes: {} };
  }

  release(): void {
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
  }
}

/** Writes the identity in one write, so that readers never see a part of it: longer old content is overwritten with blanks. */
function writeInfo(fd: number, info: LockInfo): void {
  const text = JSON.stringify(info);
  const length = Buffer.byteLength(text) + 1;
  const { size } = fstatSync(fd);
  const isForeign = size > MAX_PADDED_BYTES;
  const blanks = isForeign ? 0 : Math.max(0, size - length);
  writeSync(fd, `${text}${" ".repeat(blanks)}\n`, 0);
  if (isForeign) ftruncateSync(fd, length);
}
