import { refusalOf } from "../../state/access.ts";
import { client } from "../../state/store.ts";
import type { History } from "../data-plane/public.ts";
import { RecordedFile, readSpan, wholeFile } from "../recordings/file/public.ts";

/** Reads the samples that loggers hold; other histories need not read the topics of these loggers. */
export const readPastOfLoggers: History = async (traces, wanted) => {
  // Samples are read as downloads are.
  if (refusalOf({ need: "download", on: null }) !== null) return new Set();
  const { loggers } = await client.request({ type: "request_loggers" });
  const topics = new Set(traces.map(({ topic }) => topic));
  const all = new Set<string>();
  for (const { name, topics: logged } of loggers) {
    const held = logged.filter((one) => one.n_samples > 0 && !one.only_ts && topics.delete(one.name)).map((one) => one.name);
    if (held.length === 0) continue;
    for (const topic of held) all.add(topic);
    const bytes = await wholeFile(`/mgr/logger-download?${new URLSearchParams({ name, format: "mcap" })}`, wanted.signal);
    const requestedTraces = traces.filter(({ topic }) => held.includes(topic));
    if (bytes !== null) await readSpan(await RecordedFile.open(inMemory(bytes)), requestedTraces, wanted);
  }
  return all;
};

const inMemory = (bytes: Uint8Array) => ({
  size: async () => BigInt(bytes.length),
  read: async (offset: bigint, length: bigint) => bytes.slice(Number(offset), Number(offset + length)),
});
