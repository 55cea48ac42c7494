import { client } from "../../state/store.ts";
import type { TraceSamples } from "../data-plane/plot/trace-samples.ts";
import type { Trace } from "../data-plane/plot/traces.ts";
import { fileAddress } from "../recordings/file/file-address.ts";
import { RangeReader } from "../recordings/file/range-reader.ts";
import type { RecordedFile } from "../recordings/file/recorded-file.ts";

/** Files that have to be read in whole are not, if they are larger: those of loggers, and what is still being recorded. Bytes. */
const MAX_WHOLE_BYTES = 32 * 1024 * 1024;
/** Files of recordings that are read, the newest first. */
const MAX_FILES = 3;

interface Wanted {
  /** How far back, seconds. */
  readonly seconds: number;
  readonly signal: AbortSignal;
  /** Called with what each source holds of a topic, the newest first. */
  readonly found: (topic: string, samples: TraceSamples) => void;
}

/** Reads what loggers hold of these traces, and of topics that no logger has what recordings hold. */
export async function readPast(traces: readonly Trace[], wanted: Wanted): Promise<void> {
  const { signal, seconds } = wanted;
  const topics = new Set(traces.map(({ topic }) => topic));
  // A page that is opened at a plot does not know yet what there is.
  await client.opened();
  const [{ loggers }, { recordings }, { RecordedFile }] = await Promise.all([
    client.request({ type: "request_loggers" }),
    client.request({ type: "request_recordings" }),
    import("../recordings/file/recorded-file.ts"),
  ]);
  for (const { name, topics: logged } of loggers) {
    const held = logged.filter((one) => one.n_samples > 0 && !one.only_ts && topics.delete(one.name)).map((one) => one.name);
    const bytes =
      held.length === 0 ? null : await wholeFile(`/mgr/logger-download?${new URLSearchParams({ name, format: "mcap" })}`, signal);
    if (bytes !== null) await read(await RecordedFile.open(inMemory(bytes)), ofTopics(traces, held), wanted);
  }
  if (topics.size === 0) return;
  const since = Date.now() - 1_000 * seconds;
  const files = recordings
    .flatMap(({ name, files }) => files.map((file) => ({ ...file, recording: name })))
    .filter(({ is_growing, end_time }) => is_growing || (end_time !== null && Date.parse(`${end_time}Z`) > since))
    .sort((a, b) => Number(b.is_growing) - Number(a.is_growing) || ((a.end_time ?? "") < (b.end_time ?? "") ? 1 : -1));
  for (const place of files.slice(0, MAX_FILES)) {
    const bytes = place.is_growing && place.size <= MAX_WHOLE_BYTES ? await wholeFile(fileAddress(place), signal) : null;
    if (place.is_growing && bytes === null) continue;
    const file = bytes === null ? await RecordedFile.open(new RangeReader(fileAddress(place))) : RecordedFile.openGrowing(bytes);
    await read(file, ofTopics(traces, [...topics]), wanted);
  }
}

const ofTopics = (traces: readonly Trace[], topics: readonly string[]) => traces.filter(({ topic }) => topics.includes(topic));

async function read(file: RecordedFile, traces: readonly Trace[], { seconds, signal, found }: Wanted): Promise<void> {
  const from = Math.max(file.span.from, Date.now() / 1_000 - seconds);
  const { samples, fill } = file.traces(traces, { from, until: Math.max(from, file.span.until) });
  await fill({ signal, onProgress: () => {} });
  if (!signal.aborted) for (const [topic, held] of samples) if (held.newest !== null) found(topic, held);
}

/** Null: it is too large. */
async function wholeFile(address: string, signal: AbortSignal): Promise<Uint8Array | null> {
  const response = await fetch(address, { signal });
  if (!response.ok) throw new Error((await response.text()).trim());
  if (Number(response.headers.get("content-length")) <= MAX_WHOLE_BYTES) return new Uint8Array(await response.arrayBuffer());
  await response.body?.cancel();
  return null;
}

const inMemory = (bytes: Uint8Array) => ({
  size: async () => BigInt(bytes.length),
  read: async (offset: bigint, length: bigint) => bytes.slice(Number(offset), Number(offset + length)),
});
