import { type FileHandle, open } from "node:fs/promises";
import type { HostSession } from "../../../app/hosts/host-session.ts";
import { MgrError } from "../../../base/errors.ts";
import { topicEncoding } from "../../../base/topics/topic-encodings.ts";
import type { SpooledSamples } from "../../recordings/samples/worker/spooled-samples.ts";
import type { RingReport } from "../contract.ts";

export interface RingOnHost {
  readonly host: string;
  readonly session: HostSession;
  /** The ring as of the start of the download: samples from its `end` on are newer. */
  readonly report: RingReport;
  readonly only_ts: boolean;
}

/** Progress of reading a ring. */
interface Spooled {
  /** Bytes of whole records. */
  size: number;
  count: number;
  /** Samples in the middle that were evicted before they were read. */
  lost: number;
}

/** Copies the samples of a ring into a file, a part at a time: the next part is requested when the last one is on disk. */
export async function spoolRing(ring: RingOnHost, path: string, signal: AbortSignal): Promise<SpooledSamples> {
  const { host, session, report, only_ts } = ring;
  const { logger, topic } = report;
  const { ring: found } = await session.command((id) => session.link.request("logger_ring", { session: id, logger, topic }));
  await using file = await open(path, "wx", 0o600);
  const { size, count, lost } = await copy(ring, file, signal);
  return {
    topic,
    host,
    definition: found?.definition ?? "",
    definitionName: report.definition_name,
    encoding: topicEncoding(report.encoding),
    count,
    only_ts,
    missed: report.missed + lost,
    path,
    size,
  };
}

async function copy({ host, session, report }: RingOnHost, file: FileHandle, signal: AbortSignal): Promise<Spooled> {
  const { logger, topic, first, end } = report;
  let until = end;
  const spooled: Spooled = { size: 0, count: 0, lost: 0 };
  /** The next sample, and the bytes of its record that are already in the file. */
  let [at, skip] = [first, 0];
  while (at < until) {
    signal.throwIfAborted();
    const range = { logger, topic, from: at, skip, until };
    const part = await session.command((id) => session.link.request("logger_read", { session: id, ...range }));
    if (part.from > at) {
      // Samples that were evicted before the first one was read made room for newer ones, which are read instead.
      if (spooled.count === 0) until += part.from - at;
      else spooled.lost += Math.min(part.from, until) - at;
      skip = 0;
    }
    // Samples were evicted for lack of memory, so no newer ones replaced them.
    if (part.data.length === 0 && at >= end) break;
    if (part.data.length === 0 && part.next <= at)
      throw new MgrError(
        "conflict",
        `'${topic}' was recorded again from the start on host '${host}' while it was downloaded: download it again`,
      );
    await writeAll(file, part.data, spooled.size + skip);
    spooled.count += part.next - part.from;
    // A part may end with the beginning of a record that the next part continues.
    spooled.size += skip + part.data.length - part.next_skip;
    [at, skip] = [part.next, part.next_skip];
  }
  return spooled;
}

async function writeAll(file: FileHandle, data: Uint8Array, position: number): Promise<void> {
  for (let sent = 0; sent < data.length; ) sent += (await file.write(data, sent, data.length - sent, position + sent)).bytesWritten;
}
