/** The encodings of the messages of a topic: ROS 2 CDR, JSON text, Protocol Buffers, or bytes that mgr does not read. */
export const TOPIC_ENCODINGS = ["cdr", "json", "protobuf", "raw"] as const;
export type TopicEncoding = (typeof TOPIC_ENCODINGS)[number];

export function isTopicEncoding(name: unknown): name is TopicEncoding {
  return TOPIC_ENCODINGS.some((encoding) => encoding === name);
}

/** Messages of an unknown encoding are bytes. */
export function topicEncoding(name: string): TopicEncoding {
  return isTopicEncoding(name) ? name : "raw";
}
