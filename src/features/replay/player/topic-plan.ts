import { MgrError } from "../../../base/errors.ts";
import { compileFnmatch } from "../../../base/patterns/fnmatch.ts";
import { type TopicEncoding, topicEncoding } from "../../../base/topics/topic-encodings.ts";
import { topicNameProblem } from "../../../base/topics/topic-subject.ts";
import { MAX_DEFINITION_BYTES } from "../../../contract/registry.ts";
import { definitionProblem } from "../../data-plane/samples/definition-problem.ts";
import type { FileChannel } from "../../recordings/samples/mcap/message-file.ts";

/** Topic with the time of a play, for programs that follow it. */
export const CLOCK_TOPIC = "mgr/clock";
/** Recorded beside the topics (docs/recordings.md): output, states, log. */
const BESIDE = "mgr/";

export interface TopicSelection {
  /** Names and fnmatch patterns; empty: all, except for what is recorded beside the topics. */
  readonly patterns: readonly string[];
  /** `old=new`; with `*` at the end of both, all names that begin so. */
  readonly remaps: readonly string[];
}

export interface TopicPlan {
  /** Name under which a topic is published, by its name in the files. */
  readonly names: ReadonlyMap<string, string>;
  /** Differences from the recording, one sentence each. */
  readonly notes: readonly string[];
}

/** Chooses topics and their names. Throws `bad_field` for what cannot be played, and `not_found` if nothing is chosen. */
export function planTopics(channels: readonly FileChannel[], { patterns, remaps }: TopicSelection): TopicPlan {
  const matches = patterns.map(compileFnmatch);
  const rules = remaps.map(remapRule);
  const notes = new Set<string>();
  const names = new Map<string, string>();
  const sources = new Map<string, string>();
  for (const channel of channels) {
    const { topic } = channel;
    const isChosen = matches.length === 0 ? !topic.startsWith(BESIDE) : topic !== CLOCK_TOPIC && matches.some((match) => match(topic));
    if (!isChosen) continue;
    const rule = rules.find(({ from, isPrefix }) => (isPrefix ? topic.startsWith(from) : topic === from));
    // Topics of ROS 2 begin with a slash.
    const name = rule === undefined ? topic.replace(/^\/+/, "") : rule.to + topic.slice(rule.from.length);
    if (rule !== undefined) rule.isUsed = true;
    const problem = topicNameProblem(name);
    if (problem !== null)
      throw new MgrError("bad_field", `the topic '${name}' cannot be published: its name ${problem}; use --remap or --topics`);
    const other = sources.get(name);
    if (other !== undefined && other !== topic)
      throw new MgrError("bad_field", `'${other}' and '${topic}' would both be published as '${name}': use --remap or --topics`);
    sources.set(name, topic);
    names.set(topic, name);
    const { note } = describedChannel(channel);
    if (note !== null) notes.add(`'${topic}' is published as bytes: ${note}`);
  }
  const unused = rules.find(({ isUsed }) => !isUsed);
  if (unused !== undefined) throw new MgrError("bad_field", `--remap ${unused.text}: no chosen topic has this name`);
  if (names.size > 0) return { names, notes: [...notes] };
  const found = [...new Set(channels.map(({ topic }) => topic))];
  throw new MgrError("not_found", `no topic to play; recorded are ${found.slice(0, 20).join(", ")}${found.length > 20 ? ", …" : ""}`);
}

function remapRule(text: string) {
  const [from = "", to = "", ...more] = text.split("=");
  const isPrefix = from.endsWith("*");
  if (from === "" || to === "" || more.length > 0 || isPrefix !== to.endsWith("*"))
    throw new MgrError("bad_field", `--remap ${text}: expected OLD=NEW, or 'OLD*=NEW*' for all names that begin with OLD`);
  const strip = (name: string) => (isPrefix ? name.slice(0, -1) : name);
  return { text, from: strip(from), to: strip(to), isPrefix, isUsed: false };
}

export interface DescribedChannel {
  readonly encoding: TopicEncoding;
  /** Text of the definition. */
  readonly definition: string;
  readonly definitionName: string;
  /** Why the messages are bytes for subscribers; null: as the file says. */
  readonly note: string | null;
}

const SCHEMA_ENCODINGS = { json: "jsonschema", cdr: "ros2msg", protobuf: "protobuf" } as const;

/** How a channel is published: as bytes if the bus does not know its encoding or definition. */
export function describedChannel(channel: FileChannel): DescribedChannel {
  const encoding = topicEncoding(channel.encoding);
  const raw = (note: string | null) => ({ encoding: "raw" as const, definition: "", definitionName: "", note });
  if (encoding === "raw") return raw(channel.encoding === "raw" ? null : `the encoding '${channel.encoding}' is not known`);
  // JSON needs no definition, and may have one in another form.
  const expected = SCHEMA_ENCODINGS[encoding];
  const isUsable = channel.schemaEncoding === expected;
  if (encoding !== "json" && !isUsable) return raw(`its definition is in '${channel.schemaEncoding}', not in ${expected}`);
  const definition = isUsable ? channel.definition : "";
  const problem =
    Buffer.byteLength(JSON.stringify(definition)) > MAX_DEFINITION_BYTES
      ? `its definition has more than ${MAX_DEFINITION_BYTES} bytes`
      : definitionProblem({ encoding, definition, definitionName: channel.definitionName });
  if (problem !== null) return raw(`its definition cannot be used: ${problem}`);
  return { encoding, definition, definitionName: channel.definitionName, note: null };
}
