import { open } from "node:fs/promises";
import { channelOf } from "../mcap/channels.ts";
import { McapEncoder } from "../mcap/encoder.ts";
import { LOSSES, lossesText } from "../mcap/losses.ts";
import type { FormatWriter, Sample, TopicSamples } from "../samples.ts";
import { progress } from "./progress.ts";

/** Maximum number of topics that are read at the same time: each uses a file descriptor and a buffer. */
const MAX_OPEN_TOPICS = 64;

/** An MCAP file like that of a recording (docs/recordings.md, "Files"), in the order of time. More than 64 topics are written 64 at a time. */
export const writeMcap: FormatWriter = async (logger, path, options = {}) => {
  await using file = await open(path, "w", 0o600);
  const onSample = progress(logger, 1, options);
  const encoder = new McapEncoder();
  const put = async (pieces: readonly Uint8Array[]) => {
    for (const piece of pieces) await file.writeFile(piece);
  };
  await put([encoder.begin("mgr"), encoder.addMetadata("mgr.logger", { name: logger.name })]);
  for (let from = 0; from < logger.topics.length; from += MAX_OPEN_TOPICS) {
    for await (const { sample, channel } of inOrder(logger.topics.slice(from, from + MAX_OPEN_TOPICS), encoder)) {
      onSample();
      const { received, published, sequence, payload } = sample;
      const data = payload ?? new Uint8Array(0);
      encoder.addMessage({ channel, sequence: sequence ?? 0n, logTime: received, publishTime: published ?? received, data });
      if (encoder.isChunkFull) await put(encoder.cut());
    }
  }
  await put(encoder.cut());
  const losses = logger.topics.map(({ topic, missed }) => [topic, { missed, dropped: 0 }] as const);
  await put([encoder.addMetadata(LOSSES, lossesText(new Map(losses)))]);
  await put(encoder.end());
};

interface Reading {
  readonly channel: number;
  readonly samples: AsyncIterator<Sample>;
  sample: Sample;
}

/** Samples of all topics in the order in which they were received. */
async function* inOrder(topics: readonly TopicSamples[], encoder: McapEncoder): AsyncGenerator<Omit<Reading, "samples">> {
  const open: Reading[] = [];
  try {
    for (const source of topics) {
      const channel = encoder.addChannel(channelFor(source));
      const samples = source.samples()[Symbol.asyncIterator]();
      const first = await samples.next();
      if (!first.done) open.push({ channel, samples, sample: first.value });
    }
    while (open.length > 0) {
      const reading = open.reduce((a, b) => (b.sample.received < a.sample.received ? b : a));
      yield reading;
      const next = await reading.samples.next();
      if (next.done) open.splice(open.indexOf(reading), 1);
      else reading.sample = next.value;
    }
  } finally {
    for (const { samples } of open) await samples.return?.();
  }
}

/** The channel of a topic; its encoding is raw if there are no payloads to decode. */
function channelFor({ topic, host, definition, definitionName, encoding, only_ts }: TopicSamples) {
  return channelOf({ topic, definition, definitionName, encoding: only_ts ? "raw" : encoding }, { host });
}
