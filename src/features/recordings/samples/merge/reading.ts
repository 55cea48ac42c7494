import { messageOf } from "../../../../base/errors.ts";
import {
  correctedMessages,
  type McapChannelRecord,
  type McapMessageRecord,
  type McapSchemaRecord,
  stretchesIn,
  timesIn,
} from "../mcap/clocked-file.ts";
import type { McapEncoder } from "../mcap/encoder.ts";
import { type IndexedFile, metadataOf, openIndexed } from "../mcap/indexed-file.ts";
import { repairMcap } from "../mcap/repair.ts";
import { schemaText } from "../mcap/schema-data.ts";
import type { Stretch, TimeCorrection } from "../mcap/stretch-clock.ts";
import type { MergedPart } from "./part.ts";

/** Channels of one file: MCAP numbers them with 16 bits. */
const MAX_CHANNELS = 65_000;

/** A stretch of a part whose turn has not come yet. */
export interface WaitingStretch {
  /** Index of the part. */
  readonly part: number;
  /** No message of it has an earlier time in the merged file. */
  readonly start: bigint;
  readonly open: () => Promise<PartReading>;
}

/** Facts about a part that are read before it is merged. */
export interface PreparedPart {
  /** Its index. */
  readonly part: number;
  readonly stretches: readonly WaitingStretch[];
  /** For each of its stretches, the state of the clock, and the times of its messages by that clock. */
  readonly clocks: readonly { readonly clock: Stretch["clock"]; readonly start: bigint; readonly end: bigint }[];
  /** The newest metadata of each name. */
  readonly metadata: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/** Completes the file of a part if it has no index, and reads its index. Rejects if it is damaged. */
export async function preparePart(part: MergedPart, index: number): Promise<PreparedPart> {
  const { path, offset } = part;
  await repairMcap(path);
  const file = await openIndexed(path);
  try {
    const metadata = await metadataOf(file);
    const found = await stretchesIn(file);
    const whole = offset === null ? found : [{ from: 0, until: Number.MAX_SAFE_INTEGER, clock: fixed(BigInt(offset)) }];
    const stretches = whole.flatMap((stretch) => {
      const times = timesIn(file, stretch);
      if (times === null) return [];
      const start = times.start - (stretch.clock?.offsetAt(times.start) ?? 0n);
      const open = async () => new PartReading(part, index, await openIndexed(path), stretch);
      return [{ part: index, start: start < 0n ? 0n : start, open }];
    });
    const clocks = found.flatMap((stretch) => {
      const times = timesIn(file, stretch);
      return times === null ? [] : [{ clock: stretch.clock, ...times }];
    });
    return { part: index, stretches, clocks, metadata };
  } finally {
    await file.close();
  }
}

function fixed(offset: bigint): TimeCorrection {
  return { offsetAt: () => offset };
}

/** The messages of one stretch, one after the other. */
export class PartReading {
  readonly part: number;
  /** Its times are those in the merged file; null: there is none left. */
  current: McapMessageRecord | null = null;
  /** Why its rest could not be read. */
  problem: string | null = null;
  readonly #host: string | null;
  readonly #file: IndexedFile;
  readonly #messages: AsyncIterator<McapMessageRecord>;
  /** Channels of the merged file by those of this one; null: it has no room for them. */
  readonly #channels = new Map<number, number | null>();

  constructor(
    { host, excluded }: MergedPart,
    part: number,
    file: IndexedFile,
    stretch: Pick<Stretch, "from" | "until"> & { readonly clock: TimeCorrection | null },
  ) {
    this.part = part;
    this.#host = host;
    this.#file = file;
    const ranges = excluded.map(({ from, until }) => ({ from: BigInt(from), until: BigInt(until) }));
    const wants = ({ logTime }: McapMessageRecord) => !ranges.some(({ from, until }) => logTime >= from && logTime <= until);
    this.#messages = correctedMessages(file, stretch, { wants })[Symbol.asyncIterator]();
  }

  get time(): bigint {
    return this.current?.logTime ?? 0n;
  }

  async next(): Promise<void> {
    this.current = null;
    try {
      const next = await this.#messages.next();
      if (!next.done) this.current = next.value;
    } catch (error) {
      this.problem = messageOf(error);
    }
  }

  /** The channel of the merged file; null: it has no room for another one. */
  channelIn(encoder: McapEncoder, known: Map<string, number>, id: number): number | null {
    const found = this.#channels.get(id);
    if (found !== undefined) return found;
    const { channelsById, schemasById } = this.#file.reader;
    const channel = channelsById.get(id);
    const added = channel === undefined ? null : this.#add(encoder, known, channel, schemasById.get(channel.schemaId));
    this.#channels.set(id, added);
    return added;
  }

  #add(
    encoder: McapEncoder,
    known: Map<string, number>,
    { topic, messageEncoding, metadata }: McapChannelRecord,
    schema: McapSchemaRecord | undefined,
  ) {
    const about = Object.fromEntries(metadata);
    const added = {
      topic,
      encoding: messageEncoding,
      schema: schema === undefined ? null : { name: schema.name, encoding: schema.encoding, text: schemaText(schema) },
      metadata: this.#host === null || about.host !== undefined ? about : { ...about, host: this.#host },
    };
    const key = JSON.stringify(added);
    const same = known.get(key);
    if (same !== undefined) return same;
    if (known.size >= MAX_CHANNELS) return null;
    const id = encoder.addChannel(added);
    known.set(key, id);
    return id;
  }

  async close(): Promise<void> {
    await this.#messages.return?.();
    await this.#file.close();
  }
}
