import type { AnswerOf } from "../../../../protocol/frames/frames.ts";

type Answer<T extends "request_topic_detail" | "request_topics_stat"> = Extract<AnswerOf<T>, { ok: true }>;
export type TopicDetailFrame = Omit<Answer<"request_topic_detail">, "type" | "request_id" | "ok" | "name">;
export type TopicsStatFrame = Pick<Answer<"request_topics_stat">, "sample_seconds" | "topics">;
