import { messageOf } from "../../../base/errors.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { withManager } from "../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import { printJson, table } from "../../../cli/output/table.ts";
import { bytesText } from "../../../client/shown/units.ts";
import { formatTime } from "../../../protocol/time.ts";
import { type McapFileSummary, summaryOf } from "../samples/mcap/file-summary.ts";
import { findRecording } from "./find-recordings.ts";
import { durationText, fact, recordingText } from "./tables.ts";

/** Whether the argument is an MCAP file of this machine, not a recording of the manager. */
export const isFile = (name: string): boolean => name.endsWith(".mcap");

/** `mgr record info NAME`: shows topics and files of a recording, or the index of a file. */
export async function recordInfo(name: string, flags: ConnectionFlags & { json?: boolean }): Promise<void> {
  if (isFile(name)) {
    const summary = await readIndex(name);
    if (flags.json) printJson(jsonOf(name, summary));
    else process.stdout.write(`${fileText(name, summary)}\n`);
    return;
  }
  await withManager(flags, async (client) => {
    const recording = await findRecording(client, name);
    if (flags.json) printJson(recording);
    else process.stdout.write(`${recordingText(recording)}\n`);
  });
}

async function readIndex(path: string): Promise<McapFileSummary> {
  return summaryOf(path).catch((error: unknown) => {
    const isMissing = (error as NodeJS.ErrnoException).code === "ENOENT";
    if (isMissing) throw new CommandFailure(EXIT.notFound, `there is no file ${path}`);
    throw new CommandFailure(EXIT.failed, `cannot read the index of ${path}: ${messageOf(error)}`);
  });
}

export function fileText(path: string, { size, messages, topics, times, isRepaired }: McapFileSummary): string {
  const span = times === null ? null : Number(times.end - times.start) / 1e6;
  return [
    fact("file", isRepaired ? `${path}, repaired after a crash` : path),
    fact("size", bytesText(size)),
    fact("begins", times === null ? "-" : `${timeOf(times.start)} UTC`),
    fact("duration", durationText(span)),
    fact("messages", String(messages)),
    "",
    table(
      [
        { title: "TOPIC", text: ({ topic }) => topic },
        { title: "MESSAGES", text: (each) => String(each.messages), right: true },
        { title: "MISSED", text: ({ missed }) => String(missed), right: true },
        { title: "DROPPED", text: ({ dropped }) => String(dropped), right: true },
        { title: "ENCODING", text: ({ encoding }) => encoding },
        { title: "DEFINITION", text: ({ definitionName }) => definitionName || "-" },
      ],
      [...topics],
    ),
  ].join("\n");
}

function jsonOf(file: string, { size, messages, topics, times, metadata, isRepaired }: McapFileSummary) {
  return {
    file,
    size,
    start_time: times && timeOf(times.start),
    end_time: times && timeOf(times.end),
    messages,
    is_repaired: isRepaired,
    topics: topics.map(({ topic, definitionName, ...rest }) => ({ name: topic, message_definition: definitionName, ...rest })),
    metadata: Object.fromEntries([...metadata].map(([name, values]) => [name, Object.fromEntries(values)])),
  };
}

function timeOf(nanoseconds: bigint): string {
  return formatTime(Number(nanoseconds / 1_000_000n));
}
