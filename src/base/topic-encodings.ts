/** The encodings of the messages of a topic: ROS 2 CDR, JSON text, or bytes that mgr does not read. */
export const TOPIC_ENCODINGS = ["cdr", "json", "raw"] as const;
export type TopicEncoding = (typeof TOPIC_ENCODINGS)[number];

/** Messages of an unknown encoding are bytes. */
export function topicEncoding(name: string): TopicEncoding {
  return TOPIC_ENCODINGS.find((encoding) => encoding === name) ?? "raw";
}
