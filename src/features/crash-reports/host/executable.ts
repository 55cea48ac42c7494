import { constants, readlinkSync, statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { formatTime } from "../../../protocol/time.ts";
import type { CrashExecutable } from "../report.ts";

/** The program that a process executes, as its file was when it was seen. */
export interface SeenExecutable {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly dev: number;
  readonly ino: number;
}

/** Null: the process has ended, or belongs to a user whose processes this daemon may not examine. */
export function seeExecutable(pid: number): SeenExecutable | null {
  try {
    const { size, mtimeMs, dev, ino } = statSync(linkOf(pid));
    return { path: pathIn(linkOf(pid)), size, mtimeMs, dev, ino };
  } catch {
    return null;
  }
}

/** The path of `seeExecutable` alone. */
export function executablePath(pid: number): string | null {
  try {
    return pathIn(linkOf(pid));
  } catch {
    return null;
  }
}

const linkOf = (pid: number): string => `/proc/${pid}/exe`;
const pathIn = (link: string): string => readlinkSync(link).replace(/ \(deleted\)$/, "");

/** The same with its build id, which is read if the file has not changed. */
export async function describeExecutable({ path, size, mtimeMs, dev, ino }: SeenExecutable): Promise<CrashExecutable> {
  const known = { path, size, modified: formatTime(mtimeMs) };
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    const now = await file.stat();
    if (!now.isFile() || now.dev !== dev || now.ino !== ino || now.mtimeMs !== mtimeMs) return { ...known, build_id: null, replaced: true };
    return { ...known, build_id: await buildIdOf(file), replaced: false };
  } catch (error) {
    // It may be executed without being readable.
    return { ...known, build_id: null, replaced: (error as NodeJS.ErrnoException).code === "ENOENT" };
  }
}

/** Program headers and notes that are examined, at most. */
const MAX_HEADERS = 64;
const MAX_HEADER_BYTES = 256;
const MAX_NOTE_BYTES = 16 * 1024;
const PT_NOTE = 4;
const NT_GNU_BUILD_ID = 3;

/** elf(5): places in the file header and in program headers, by the class of the file (1: 32 bits, 2: 64 bits). */
const LAYOUTS: Readonly<Record<number, { phoff: number; phentsize: number; offset: number; size: number; isWide: boolean }>> = {
  1: { phoff: 28, phentsize: 42, offset: 4, size: 16, isWide: false },
  2: { phoff: 32, phentsize: 54, offset: 8, size: 32, isWide: true },
};

/** The build id in the notes of a little-endian ELF file; null: it has none. */
export async function buildIdOf(file: Pick<FileHandle, "read">): Promise<string | null> {
  const head = await bytesAt(file, 0, 64);
  const layout = LAYOUTS[head[4] ?? 0];
  if (head.length < 64 || head.readUInt32BE(0) !== 0x7f454c46 || head[5] !== 1 || layout === undefined) return null;
  const number = (bytes: Buffer, at: number) => (layout.isWide ? Number(bytes.readBigUInt64LE(at)) : bytes.readUInt32LE(at));
  const entry = head.readUInt16LE(layout.phentsize);
  const count = Math.min(head.readUInt16LE(layout.phentsize + 2), MAX_HEADERS);
  if (entry < layout.size + 8 || entry > MAX_HEADER_BYTES) return null;
  const headers = await bytesAt(file, number(head, layout.phoff), entry * count);
  for (let at = 0; at + entry <= headers.length; at += entry) {
    if (headers.readUInt32LE(at) !== PT_NOTE) continue;
    const length = Math.min(number(headers, at + layout.size), MAX_NOTE_BYTES);
    const id = buildIdIn(await bytesAt(file, number(headers, at + layout.offset), length));
    if (id !== null) return id;
  }
  return null;
}

/** Each note: lengths of name and content, type, name, content, each padded to 4 bytes. */
function buildIdIn(notes: Buffer): string | null {
  for (let at = 0; at + 12 <= notes.length; ) {
    const [nameLength, length] = [notes.readUInt32LE(at), notes.readUInt32LE(at + 4)];
    const content = at + 12 + padded(nameLength);
    const isBuildId = notes.readUInt32LE(at + 8) === NT_GNU_BUILD_ID && notes.toString("latin1", at + 12, at + 16) === "GNU\0";
    if (isBuildId && length > 0 && length <= 64 && content + length <= notes.length)
      return notes.toString("hex", content, content + length);
    at = content + padded(length);
  }
  return null;
}

const padded = (length: number): number => 4 * Math.ceil(length / 4);

async function bytesAt(file: Pick<FileHandle, "read">, position: number, length: number): Promise<Buffer> {
  if (!Number.isSafeInteger(position)) return Buffer.alloc(0);
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}
