import { refusalOf } from "../../../state/access.ts";
import { client } from "../../../state/store.ts";
import type { Trace } from "../../data-plane/plot/public-samples.ts";
import type { History, Wanted } from "../../data-plane/public.ts";
import { fileAddress } from "./file-address.ts";
import { RangeReader } from "./range-reader.ts";
import { RecordedFile } from "./recorded-file.ts";

/** Maximum size of a file that is read as a whole, bytes: those of loggers, and of growing recordings. Larger ones are not read. */
const MAX_WHOLE_BYTES = 32 * 1024 * 1024;
/** Maximum number of recorded files that are read, the newest first. */
const MAX_FILES = 3;

/** Reads the samples in the newest recorded files. */
export const readPastRecordings: History = async (traces, wanted) => {
  // Files are read as downloads are.
  if (refusalOf({ need: "download", on: null }) !== null) return new Set();
  const { recordings } = await client.request({ type: "request_recordings" });
  const since = Date.now() - 1_000 * wanted.seconds;
  const files = recordings
    .flatMap(({ name, files }) => files.map((file) => ({ ...file, recording: name })))
    .filter(({ is_growing, end_time }) => is_growing || (end_time !== null && Date.parse(`${end_time}Z`) > since))
    .sort((a, b) => Number(b.is_growing) - Number(a.is_growing) || ((a.end_time ?? "") < (b.end_time ?? "") ? 1 : -1));
  const held = new Set<string>();
  for (const place of files.slice(0, MAX_FILES)) {
    const bytes = place.is_growing && place.size <= MAX_WHOLE_BYTES ? await wholeFile(fileAddress(place), wanted.signal) : null;
    if (place.is_growing && bytes === null) continue;
    const file = bytes === null ? await RecordedFile.open(new RangeReader(fileAddress(place))) : RecordedFile.openGrowing(bytes);
    for (const topic of await readSpan(file, traces, wanted)) held.add(topic);
  }
  return held;
};

/** Reads the newest part of a file; resolves with the topics that have samples in it. */
export async function readSpan(
  file: RecordedFile,
  traces: readonly Trace[],
  { seconds, signal, found }: Wanted,
): Promise<readonly string[]> {
  const from = Math.max(file.span.from, Date.now() / 1_000 - seconds);
  const { samples, fill } = file.traces(traces, { from, until: Math.max(from, file.span.until) });
  await fill({ signal, onProgress: () => {} });
  if (signal.aborted) return [];
  const held = [...samples].filter(([, { newest }]) => newest !== null);
  for (const [topic, own] of held) found(topic, own);
  return held.map(([topic]) => topic);
}

/** Reads a whole file; null if it is too large. */
export async function wholeFile(address: string, signal: AbortSignal): Promise<Uint8Array | null> {
  const response = await fetch(address, { signal });
  if (!response.ok) throw new Error((await response.text()).trim());
  if (Number(response.headers.get("content-length")) <= MAX_WHOLE_BYTES) return new Uint8Array(await response.arrayBuffer());
  await response.body?.cancel();
  return null;
}
