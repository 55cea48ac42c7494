import type { ManagerClient } from "../../client/index.ts";
import type { Topic } from "../../protocol/resources/resources.ts";
import { find, type Kind, select } from "../manager/select.ts";

const TOPIC: Kind = { word: "topic", list: "mgr topic list" };

/** All topics, or those that `names` name. */
export async function findTopics(client: ManagerClient, names: readonly string[]): Promise<Topic[]> {
  const { topics } = await client.request({ type: "request_topics" });
  return names.length === 0 ? topics : select(topics, names, TOPIC);
}

export async function findTopic(client: ManagerClient, name: string): Promise<Topic> {
  return find(await findTopics(client, []), name, TOPIC);
}
