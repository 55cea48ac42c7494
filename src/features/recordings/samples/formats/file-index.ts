import type { LoggerSamples, TopicSamples } from "../samples.ts";

/** Maximum length of a file name on Linux, less room for a number and a suffix, bytes. */
const MAX_NAME_BYTES = 200;

/** `index.json` of raw and csv: which file holds which topic. */
export function fileIndex(logger: LoggerSamples, files: readonly string[], more: (topic: TopicSamples, index: number) => object): string {
  const topics = logger.topics.map((source, index) => ({
    topic: source.topic,
    file: files[index],
    host: source.host,
    encoding: source.encoding,
    definition_name: source.definitionName,
    definition: source.definition,
    count: source.count,
    only_ts: source.only_ts,
    missed: source.missed,
    ...more(source, index),
  }));
  return `${JSON.stringify({ logger: logger.name, format: 1, topics }, null, 2)}\n`;
}

/**
 * File names, one per topic. `/` separates folders; characters that paths cannot contain are percent-encoded; a name that is too long is replaced by
 * a number.
 */
export function fileNames({ topics }: LoggerSamples, ending: string): string[] {
  return topics.map(({ topic }, index) => {
    const parts = topic.split("/").map((part) => part.replace(/^\.+$|[%\\:\p{Cc}]/gu, (odd) => [...odd].map(percent).join("")));
    const name = parts.join("/");
    return `${Buffer.byteLength(name) > MAX_NAME_BYTES ? `topic-${index + 1}` : name}${ending}`;
  });
}

function percent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}
