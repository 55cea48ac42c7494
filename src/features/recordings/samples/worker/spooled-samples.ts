import { open } from "node:fs/promises";
import { MgrError } from "../../../../base/errors.ts";
import { decodeRecords } from "../sample-record.ts";
import type { TopicSamples } from "../samples.ts";

/** Number of bytes of a file of samples that are read at a time. */
const READ_BYTES = 256 * 1024;

/** The samples of a topic in a file of records. Plain data, which can be sent to a worker thread. */
export interface SpooledSamples extends Omit<TopicSamples, "samples"> {
  readonly path: string;
  /** Size of the whole records at the beginning of the file, bytes. */
  readonly size: number;
}

export function readSpooled({ path, size, ...about }: SpooledSamples): TopicSamples {
  return { ...about, samples: () => decodeRecords(piecesOf(path, size), about.only_ts) };
}

/** Reads the first `size` bytes of a file. A piece is valid until the next one: all are read into the same buffer. */
async function* piecesOf(path: string, size: number): AsyncGenerator<Uint8Array> {
  await using file = await open(path, "r");
  const buffer = new Uint8Array(Math.min(READ_BYTES, size));
  for (let at = 0; at < size; ) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, size - at), at);
    if (bytesRead === 0) throw new MgrError("internal", `${path} ends early: download again`);
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
