import type { RecordedFile, RecordedMessage } from "../../recordings/file/recorded-file.ts";

/** What the timeline shows: changes of processes, load, and network figures. The file is read only where these are, so that its size does not matter. */
const TOPICS = ["mgr/processes", "mgr/load", "mgr/machine", "mgr/link", "mgr/interfaces"];
/** Messages that are read at most, the newest of the file. */
const MAX_MESSAGES = 50_000;

/** The newest changes of processes and figures of load and network, in the order of time. */
export async function readTimeline(file: Pick<RecordedFile, "messagesBefore" | "span">): Promise<RecordedMessage[]> {
  const messages: RecordedMessage[] = [];
  for await (const message of file.messagesBefore(TOPICS, file.span.until)) {
    messages.push(message);
    if (messages.length >= MAX_MESSAGES) break;
  }
  return messages.reverse();
}
