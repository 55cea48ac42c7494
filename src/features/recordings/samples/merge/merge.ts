import { type FileHandle, open } from "node:fs/promises";
import { messageOf } from "../../../../base/errors.ts";
import { McapEncoder } from "../mcap/encoder.ts";
import { recordingMetadata } from "./metadata.ts";
import type { MergedPart, MergedRecording } from "./part.ts";
import { type PartReading, type PreparedPart, preparePart, type WaitingStretch } from "./reading.ts";

/** Plain data, which can be sent to a worker thread. */
export interface MergeJob {
  readonly path: string;
  readonly parts: readonly MergedPart[];
  readonly metadata: readonly { readonly name: string; readonly values: Readonly<Record<string, string>> }[];
  /** The parts are files of this recording: their losses and clocks are added to the metadata. */
  readonly recording?: MergedRecording;
}

export interface Merged {
  readonly messages: number;
  /** Bytes. */
  readonly size: number;
  /** Parts that could not be read, by their index, with the reason. */
  readonly damaged: readonly { readonly part: number; readonly reason: string }[];
  /** Messages that were left out, because their topics are more than a file can have. */
  readonly refused: number;
}

/**
 * Writes one MCAP file with the messages of several ones in the order of their times, after their clocks were put right. The file is on disk when the
 * promise is resolved. A part without an index is repaired; one that is damaged otherwise is left out. A part is open only while its time has come, so that
 * memory does not grow with their number.
 */
export async function mergeMcap({ path, parts, metadata, recording }: MergeJob): Promise<Merged> {
  const prepared: PreparedPart[] = [];
  const damaged = new Map<number, string>();
  for (const [index, part] of parts.entries()) {
    try {
      prepared.push(await preparePart(part, index));
    } catch (error) {
      damaged.set(index, messageOf(error));
    }
  }
  const waiting = new WaitingStretches(
    prepared.flatMap(({ stretches }) => stretches),
    damaged,
  );
  await using file = await open(path, "w", 0o600);
  try {
    // It counts the files that turn out to be damaged while they are read.
    const own = () => (recording === undefined ? [] : recordingMetadata(recording, prepared, [...damaged.keys()]));
    const { size, messages, refused } = await write(file, waiting, () => [...metadata, ...own()]);
    await file.sync();
    return { messages, size, damaged: [...damaged].map(([part, reason]) => ({ part, reason })), refused };
  } finally {
    await waiting.close();
  }
}

async function write(file: FileHandle, waiting: WaitingStretches, metadata: () => MergeJob["metadata"]) {
  const encoder = new McapEncoder();
  const put = async (pieces: readonly Uint8Array[]) => {
    for (const piece of pieces) await file.writeFile(piece);
  };
  await put([encoder.begin("mgr")]);
  const channels = new Map<string, number>();
  let [messages, refused] = [0, 0];
  for (let reading = await waiting.earliest(); reading !== null; reading = await waiting.earliest()) {
    const message = reading.current;
    if (message !== null) {
      const channel = reading.channelIn(encoder, channels, message.channelId);
      if (channel === null) refused++;
      else {
        const { sequence, logTime, publishTime, data } = message;
        encoder.addMessage({ channel, sequence: BigInt(sequence), logTime, publishTime, data });
        messages++;
      }
      if (encoder.isChunkFull) await put(encoder.cut());
    }
    await reading.next();
  }
  await put(encoder.cut());
  for (const { name, values } of metadata()) await put([encoder.addMetadata(name, values)]);
  await put(encoder.end());
  return { size: encoder.position, messages, refused };
}

/** All stretches of the parts. Those whose time has come are open. */
class WaitingStretches {
  /** Why parts could not be read, by their index. */
  readonly #damaged: Map<number, string>;
  /** The earliest one comes last. */
  readonly #waiting: WaitingStretch[];
  readonly #open: PartReading[] = [];

  constructor(stretches: readonly WaitingStretch[], damaged: Map<number, string>) {
    this.#damaged = damaged;
    this.#waiting = stretches.toSorted((a, b) => (a.start > b.start ? -1 : a.start < b.start ? 1 : b.part - a.part));
  }

  /** The reading that has the earliest message; null: all were read. */
  async earliest(): Promise<PartReading | null> {
    await this.#closeEnded();
    for (;;) {
      const [first] = this.#open;
      const earliest = first === undefined ? null : this.#open.reduce((a, b) => (b.time < a.time ? b : a), first);
      const next = this.#waiting.at(-1);
      if (next === undefined || (earliest !== null && earliest.time < next.start)) return earliest;
      this.#waiting.pop();
      await this.#begin(next);
    }
  }

  async close(): Promise<void> {
    for (const reading of this.#open.splice(0)) await reading.close();
  }

  async #begin(stretch: WaitingStretch): Promise<void> {
    let reading: PartReading;
    try {
      reading = await stretch.open();
    } catch (error) {
      this.#damaged.set(stretch.part, messageOf(error));
      return;
    }
    this.#open.push(reading);
    await reading.next();
    await this.#closeEnded();
  }

  async #closeEnded(): Promise<void> {
    for (const reading of this.#open.filter(({ current }) => current === null)) {
      this.#open.splice(this.#open.indexOf(reading), 1);
      if (reading.problem !== null) this.#damaged.set(reading.part, reading.problem);
      await reading.close();
    }
  }
}
