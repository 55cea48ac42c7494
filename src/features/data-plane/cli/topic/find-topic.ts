import { didYouMeanName } from "../../../../base/text/suggest.ts";
import { visible } from "../../../../base/text/visible-text.ts";
import { subjectOfTopic } from "../../../../base/topics/topic-subject.ts";
import { find, type Kind, select } from "../../../../cli/manager/select.ts";
import type { ManagerClient } from "../../../../client/manager-client.ts";
import type { Topic } from "../../wire/topic.ts";

const TOPIC: Kind = { word: "topic", list: "mgr topic list" };

/** All topics, or those selected by `names`. */
export async function findTopics(client: ManagerClient, names: readonly string[]): Promise<Topic[]> {
  const { topics } = await client.request({ type: "request_topics" });
  return names.length === 0 ? topics : select(topics, names, TOPIC);
}

export async function findTopic(client: ManagerClient, name: string): Promise<Topic> {
  return find(await findTopics(client, []), name, TOPIC);
}

/** Returns null and prints a note if the topic is not published yet: the command waits, but the name may be mistyped. Throws `bad_field`. */
export async function awaitedTopic(client: ManagerClient, name: string): Promise<Topic | null> {
  subjectOfTopic(name);
  const topics = await findTopics(client, []);
  const topic = topics.find((each) => each.name === name);
  if (topic !== undefined) return topic;
  const suggestion = didYouMeanName(
    name,
    topics.map((each) => each.name),
  );
  process.stderr.write(`mgr: ${visible(`no client publishes '${name}' yet: waiting for its first message${suggestion}`)}\n`);
  return null;
}
