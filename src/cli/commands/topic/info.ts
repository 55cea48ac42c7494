import { visible, visibleLines } from "../../../base/visible-text.ts";
import { connectManager } from "../../manager/connection.ts";
import type { ConnectionFlags } from "../../manager/way.ts";
import { paint, printJson } from "../../output/table.ts";
import { findTopic } from "../../topics/find-topic.ts";
import type { TopicDetailFrame } from "../../topics/frames.ts";
import { bytesText, rateText } from "./list.ts";

export interface InfoFlags extends ConnectionFlags {
  json?: boolean;
}

/** `mgr topic info NAME`: who publishes and subscribes, and the definition. */
export async function topicInfo(name: string, flags: InfoFlags): Promise<void> {
  const client = await connectManager(flags);
  try {
    await findTopic(client, name);
    const { type: _type, request_id: _id, ok: _ok, ...detail } = await client.request({ type: "request_topic_detail", name });
    if (flags.json) printJson(detail);
    else process.stdout.write(`${infoText(detail)}\n`);
  } finally {
    client.close();
  }
}

export function infoText({ topic, publisher, subscribers, definition, encoding, last_sample }: TopicDetailFrame): string {
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
    line("last sample", last_sample === null ? "-" : `${last_sample.ts} UTC`),
    ...(definition === "" ? [] : ["", paint("bold", "definition"), visibleLines(readableDefinition(definition, encoding).trimEnd())]),
  ].join("\n");
}

function readableDefinition(text: string, encoding: string): string {
  if (encoding !== "json") return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
