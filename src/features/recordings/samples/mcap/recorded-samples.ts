import { topicEncoding } from "../../../../base/topics/topic-encodings.ts";
import type { LoggerSamples, Sample, TopicSamples } from "../samples.ts";
import { correctedMessages, stretchesIn } from "./clocked-file.ts";
import { type IndexedFile, metadataOf, openIndexed } from "./indexed-file.ts";
import { LOSSES, lossesOf, RECORDING } from "./losses.ts";
import { schemaText } from "./schema-data.ts";
import type { Stretch } from "./stretch-clock.ts";

/** Files of a recording, as the writers of the formats read them. */
export interface RecordedSamples extends LoggerSamples {
  readonly close: () => Promise<void>;
}

/** The channels of one topic of one host, while its definition did not change. */
interface Track {
  readonly topic: string;
  readonly host: string;
  readonly definition: string;
  readonly definitionName: string;
  readonly encoding: TopicSamples["encoding"];
  count: number;
  missed: number;
  readonly files: { readonly file: ClockedFile; readonly channels: Set<number> }[];
}

interface ClockedFile extends IndexedFile {
  readonly host: string;
  /** With the clock, if it is to be put right. */
  readonly stretches: readonly Stretch[];
}

/**
 * Reads complete files of one recording. If they are of several hosts, their clocks are put right. `wants` selects topics. Rejects if a file has no
 * index.
 */
export async function openRecorded(name: string, paths: readonly string[], wants: (topic: string) => boolean): Promise<RecordedSamples> {
  const files: ClockedFile[] = [];
  const close = async () => {
    for (const file of files) await file.close();
  };
  try {
    for (const path of paths) files.push(await openClocked(path));
    if (new Set(files.map(({ host }) => host)).size <= 1)
      for (const [index, file] of files.entries())
        files[index] = { ...file, stretches: file.stretches.map((each) => ({ ...each, clock: null })) };
    // The files of a host do not overlap in time.
    files.sort((a, b) => (startOf(a) < startOf(b) ? -1 : 1));
    const tracks = new Map<string, Track>();
    for (const file of files) await addTracks(tracks, file, wants);
    return { name, topics: withUniqueNames([...tracks.values()].filter(({ count }) => count > 0)).map(samplesOf), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openClocked(path: string): Promise<ClockedFile> {
  const file = await openIndexed(path);
  try {
    const host = (await metadataOf(file)).get(RECORDING)?.get("host") ?? "";
    return { ...file, host, stretches: await stretchesIn(file) };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function addTracks(tracks: Map<string, Track>, file: ClockedFile, wants: (topic: string) => boolean): Promise<void> {
  const { channelsById, schemasById, statistics } = file.reader;
  const metadata = await metadataOf(file);
  const counted = new Set<string>();
  for (const { id, topic, messageEncoding, schemaId, metadata: about } of channelsById.values()) {
    if (!wants(topic)) continue;
    const schema = schemasById.get(schemaId);
    const kind = {
      topic,
      host: about.get("host") ?? file.host,
      definition: schemaText(schema),
      definitionName: schema?.name ?? "",
      encoding: topicEncoding(messageEncoding),
    };
    const key = JSON.stringify(kind);
    const track = tracks.get(key) ?? { ...kind, count: 0, missed: 0, files: [] };
    tracks.set(key, track);
    track.count += Number(statistics?.channelMessageCounts.get(id) ?? 0n);
    const last = track.files.at(-1);
    if (last?.file === file) last.channels.add(id);
    else track.files.push({ file, channels: new Set([id]) });
    // Losses of a topic are counted for all its definitions together.
    if (counted.has(topic)) continue;
    counted.add(topic);
    const { missed, dropped } = lossesOf(metadata.get(LOSSES), topic);
    track.missed += missed + dropped;
  }
}

/** Several hosts may have published a topic, or its definition may have changed: the formats need a name for each. */
function withUniqueNames(tracks: readonly Track[]): (Track & { readonly name: string })[] {
  const used = new Set(tracks.map(({ topic }) => topic));
  const given = new Set<string>();
  return tracks.map((track) => {
    let name = track.topic;
    for (let number = 2; given.has(name) || (name !== track.topic && used.has(name)); number++) name = `${track.topic} (${number})`;
    given.add(name);
    return { ...track, name };
  });
}

function samplesOf({ name, topic, files, ...about }: Track & { readonly name: string }): TopicSamples {
  async function* samples(): AsyncGenerator<Sample> {
    for (const { file, channels } of files)
      for (const stretch of file.stretches)
        for await (const { channelId, logTime, publishTime, sequence, data } of correctedMessages(file, stretch, { topics: [topic] })) {
          if (!channels.has(channelId)) continue;
          yield {
            received: logTime,
            // A recording of a message without these holds the log time and 0 (docs/recordings.md, "Files").
            published: publishTime === logTime ? null : publishTime,
            sequence: sequence === 0 ? null : BigInt(sequence),
            payload: data,
          };
        }
  }
  return { ...about, topic: name, only_ts: false, samples };
}

function startOf({ reader }: IndexedFile): bigint {
  return reader.statistics?.messageStartTime ?? 0n;
}
