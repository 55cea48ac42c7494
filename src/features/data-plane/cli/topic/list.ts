import { withManager } from "../../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../../cli/manager/connection-target.ts";
import { printJson, table } from "../../../../cli/output/table.ts";
import { bytesText, rateText } from "../../../../client/shown/units.ts";
import type { Topic } from "../../wire/topic.ts";
import { findTopics } from "./find-topic.ts";

export interface ListFlags extends ConnectionFlags {
  json?: boolean;
}

/** `mgr topic list [NAME…]`: lists topics with publisher and rate. */
export async function topicList(names: string[], flags: ListFlags): Promise<void> {
  await withManager(flags, async (client) => {
    const topics = await findTopics(client, names);
    if (flags.json) printJson(topics);
    else process.stdout.write(`${listing(topics)}\n`);
  });
}

export function listing(topics: Topic[], width?: number): string {
  return table<Topic>(
    [
      { title: "TOPIC", text: ({ name }) => name },
      { title: "RATE", text: ({ publisher_rate }) => rateText(publisher_rate), right: true },
      { title: "SIZE", text: ({ message_size }) => bytesText(message_size), right: true, spare: 4 },
      { title: "MESSAGES", text: ({ published_packets }) => String(published_packets), right: true, spare: 3 },
      { title: "SUBSCRIBERS", text: ({ subscribers }) => String(subscribers), right: true, spare: 5 },
      { title: "PUBLISHER", text: ({ publisher }) => publisher || "-" },
      { title: "HOST", text: ({ publisher_host }) => publisher_host, spare: 1 },
      { title: "DEFINITION", text: ({ message_definition }) => message_definition || "-", spare: 2 },
    ],
    topics,
    width,
  );
}
