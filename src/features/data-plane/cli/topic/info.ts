import { visible, visibleLines } from "../../../../base/text/visible-text.ts";
import { withManager } from "../../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../../cli/manager/connection-target.ts";
import { paint, printJson } from "../../../../cli/output/table.ts";
import { bytesText, rateText } from "../../../../client/shown/units.ts";
import { MAX_TOPIC_PRIORITY } from "../../../../contract/registry.ts";
import { findTopic } from "./find-topic.ts";
import type { TopicDetailFrame } from "./frames.ts";

export interface InfoFlags extends ConnectionFlags {
  json?: boolean;
}

/** `mgr topic info NAME`: shows the publisher, the subscribers and the definition. */
export async function topicInfo(name: string, flags: InfoFlags): Promise<void> {
  await withManager(flags, async (client) => {
    await findTopic(client, name);
    const { type: _type, request_id: _id, ok: _ok, ...detail } = await client.request({ type: "request_topic_detail", name });
    if (flags.json) printJson(detail);
    else process.stdout.write(`${infoText(detail)}\n`);
  });
}

export function infoText(detail: TopicDetailFrame): string {
  const { topic, publisher, subscribers, definition, encoding, last_sample } = detail;
  const line = (title: string, text: string) => `${paint("bold", title.padEnd(12))} ${visible(text)}`;
  const end = (each: { client: string; host: string }) => `${each.client} on ${each.host}`;
  return [
    line("topic", topic.name),
    line("encoding", topic.message_definition === "" ? encoding : `${encoding}, ${topic.message_definition}`),
    line("publisher", publisher === null ? "-" : end(publisher)),
    ...(subscribers.length === 0 ? [line("subscribers", "-")] : []),
    ...subscribers.map((each, index) => line(index === 0 ? "subscribers" : "", end(each))),
    ...(topic.problem === null ? [] : [line("problem", topic.problem)]),
    line("rate", `${rateText(topic.publisher_rate)}, ${topic.published_packets} messages`),
    line("size", `${bytesText(topic.message_size)} (last message)`),
    ...waitingLines(detail).map(([title, text]) => line(title, text)),
    line("last sample", last_sample === null ? "-" : `${last_sample.ts} UTC`),
    ...(definition === "" ? [] : ["", paint("bold", "definition"), visibleLines(readableDefinition(definition, encoding).trimEnd())]),
  ].join("\n");
}

/** Lines about the queues of slow subscribers and dropped messages; only settings in use and losses that occurred. */
function waitingLines(detail: TopicDetailFrame): [title: string, text: string][] {
  const { topic, keep_last, priority, max_age_ms, reliable_within, kept_dropped } = detail;
  const lines: [title: string, text: string][] = [];
  if (keep_last) lines.push(["keep last", kept_dropped === 0 ? "yes" : `yes, ${kept_dropped} kept messages dropped (memory used up)`]);
  if (priority > 0) lines.push(["priority", `${priority} (0 to ${MAX_TOPIC_PRIORITY})`]);
  if (max_age_ms !== null) lines.push(["max age", `${max_age_ms} ms`]);
  if (reliable_within !== null) lines.push(["reliable", `within ${bytesText(reliable_within)}`]);
  if (topic.dropped_packets > 0) lines.push(["dropped", `${topic.dropped_packets} messages (slow subscribers)`]);
  return lines;
}

function readableDefinition(text: string, encoding: string): string {
  if (encoding !== "json") return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
