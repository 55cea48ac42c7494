import { createHash } from "node:crypto";
import { fstatSync, readSync, writevSync } from "node:fs";
import { z } from "zod";
import { firstIssue, MgrError } from "../../base/errors.ts";
import { parseJson } from "../../base/json.ts";
import type { HandedOver } from "./handed-over.ts";

/** Version of the file, and of the sections of the daemon's own parts. Version 2 can have output in a file of its own. */
export const HANDOVER_VERSION = 2;
/** Oldest version that this program takes over: its state satisfies the present shapes. */
const MIN_VERSION = 1;
/** The header: this text, the length of the state as 64 bits, the SHA-256 of the state. */
const MAGIC = Buffer.from("MGRSTATE");
const HEADER_BYTES = MAGIC.length + 8 + 32;
/** Maximum length of the state without the large bytes: 1,000 processes with long specifications have 10 MB. */
export const MAX_STATE_BYTES = 256 * 1024 * 1024;
/** Maximum number of buffers in one call of writev (IOV_MAX). */
const MAX_BUFFERS = 1_024;

const section = z.strictObject({
  state: z.unknown(),
  /** Number of each descriptor, and what it is open on (`identityOf`). */
  descriptors: z.record(z.string(), z.tuple([z.int().min(0), z.string()])),
  /** Names and lengths of the section's large bytes, which follow the state in this order. */
  bytes: z.array(z.tuple([z.string(), z.int().min(0)])),
});
const stateShape = z.strictObject({
  version: z.int(),
  /** Version of the program that wrote it; null: not known. */
  program: z.string().nullable(),
  sections: z.record(z.string(), section),
});

/** State of all parts of a daemon for the next program, by name. */
export interface Handover {
  readonly program: string | null;
  readonly sections: Readonly<Record<string, HandedOver>>;
}

/** Writes to an empty file; a copy has no large bytes. */
export function writeHandover(fd: number, { program, sections }: Handover, { isCopy }: { isCopy: boolean }): void {
  const index = Object.entries(sections).map(([name, { state, descriptors, bytes }]) => {
    const lengths = Object.entries(bytes).map(([each, { length }]) => [each, length]);
    const open = Object.entries(descriptors).map(([each, number]) => [each, [number, identityOf(number)]] as const);
    return [name, { state, descriptors: Object.fromEntries(open), bytes: lengths }] as const;
  });
  const state = Buffer.from(JSON.stringify({ version: HANDOVER_VERSION, program, sections: Object.fromEntries(index) }));
  if (state.length > MAX_STATE_BYTES)
    throw new MgrError("too_large", `the daemon's state has ${state.length} bytes; at most ${MAX_STATE_BYTES} can be handed over`);
  const header = Buffer.alloc(HEADER_BYTES);
  MAGIC.copy(header);
  header.writeBigUInt64LE(BigInt(state.length), MAGIC.length);
  digestOf(state).copy(header, MAGIC.length + 8);
  const large = isCopy ? [] : Object.values(sections).flatMap(({ bytes }) => Object.values(bytes));
  writeAll(fd, [header, state, ...large]);
}

/**
 * Reads what `writeHandover` wrote. Throws `conflict` for a file that is damaged, incomplete or of another version. `isCopy`: the state of another
 * process, which continues meanwhile; otherwise this process must have each descriptor open on the same file.
 */
export function readHandover(fd: number, { isCopy }: { isCopy: boolean }): Handover {
  const { size: whole } = fstatSync(fd);
  const header = readExactly(fd, 0, Math.min(HEADER_BYTES, whole));
  if (!header.subarray(0, MAGIC.length).equals(MAGIC)) throw refusal("it does not begin as the state of a daemon");
  const length = header.length < HEADER_BYTES ? whole : Number(header.readBigUInt64LE(MAGIC.length));
  if (length > MAX_STATE_BYTES || HEADER_BYTES + length > whole) throw refusal("it is incomplete");
  const text = readExactly(fd, HEADER_BYTES, length);
  if (!digestOf(text).equals(header.subarray(MAGIC.length + 8))) throw refusal("its checksum is wrong");
  const { program, sections } = parsed(text.toString());
  let at = HEADER_BYTES + length;
  const read: Record<string, HandedOver> = {};
  for (const [name, { state, descriptors, bytes }] of Object.entries(sections)) {
    const large: Record<string, Uint8Array> = {};
    for (const [each, size] of isCopy ? [] : bytes) {
      if (at + size > whole) throw refusal(`the bytes '${each}' of '${name}' are incomplete`);
      large[each] = readExactly(fd, at, size);
      at += size;
    }
    read[name] = { state, descriptors: numbersOf(name, descriptors, isCopy), bytes: large };
  }
  return { program, sections: read };
}

function parsed(text: string): z.infer<typeof stateShape> {
  const state = parseJson(text);
  // Checked first: another version may have another shape.
  const version = z.object({ version: z.number() }).safeParse(state).data?.version;
  if (version === undefined || version < MIN_VERSION || version > HANDOVER_VERSION)
    throw refusal(`it has version ${version}, and this program takes over versions ${MIN_VERSION} to ${HANDOVER_VERSION}`);
  const result = stateShape.safeParse(state);
  if (!result.success) throw refusal(firstIssue(result.error));
  return result.data;
}

function numbersOf(section: string, descriptors: Readonly<Record<string, readonly [number, string]>>, isCopy: boolean) {
  const numbers: Record<string, number> = {};
  for (const [name, [number, identity]] of Object.entries(descriptors)) {
    if (!isCopy && identityOf(number) !== identity)
      throw refusal(`descriptor ${number} ('${name}' of '${section}') is not the one that was handed over`);
    numbers[name] = number;
  }
  return numbers;
}

/** Identifies the file on which a descriptor is open. Throws if it is closed. */
function identityOf(descriptor: number): string {
  const { dev, ino, rdev } = fstatSync(descriptor, { bigint: true });
  return `${dev}:${ino}:${rdev}`;
}

function writeAll(fd: number, buffers: readonly Uint8Array[]): void {
  let left = buffers.filter(({ length }) => length > 0);
  while (left.length > 0) {
    let written = writevSync(fd, left.slice(0, MAX_BUFFERS));
    let index = 0;
    for (; index < left.length; index++) {
      const size = left[index]?.length ?? 0;
      if (written < size) break;
      written -= size;
    }
    const [partial, ...rest] = left.slice(index);
    left = partial === undefined ? [] : [partial.subarray(written), ...rest];
  }
}

function readExactly(fd: number, from: number, length: number): Buffer {
  // Not from the pool: rings keep these buffers.
  const buffer = Buffer.allocUnsafeSlow(length);
  for (let read = 0; read < length; ) {
    const count = readSync(fd, buffer, read, length - read, from + read);
    if (count === 0) throw refusal("it is incomplete");
    read += count;
  }
  return buffer;
}

function digestOf(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}

function refusal(reason: string): MgrError {
  return new MgrError("conflict", `the state of the daemon cannot be taken over: ${reason}`);
}
