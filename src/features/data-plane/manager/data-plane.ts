import type { Grant, Owners } from "../../../base/access/access.ts";
import type { AnswerOf, ChangeFrame, FrameOf, ManagerFrameOf } from "../../../protocol/frames/frames.ts";
import type { Client } from "../../../protocol/resources/resources.ts";
import type { Parameter } from "../wire/parameter.ts";
import type { Service } from "../wire/service.ts";
import type { Topic } from "../wire/topic.ts";
import type { Sight } from "./granted-changes.ts";

type Ok<T> = Extract<T, { ok: true }>;

/** The answers without `ok` and without the fields that repeat the request. */
export type TopicsStat = Pick<Ok<AnswerOf<"request_topics_stat">>, "sample_seconds" | "topics">;
export type TopicDetail = Omit<Ok<AnswerOf<"request_topic_detail">>, "type" | "request_id" | "ok" | "name">;
export type TraceRequest = Pick<FrameOf<"trace_topic">, "name" | "to">;
export type TopicTrace = Pick<Ok<AnswerOf<"trace_topic">>, "steps" | "wrong">;
/** A message that a user publishes. */
export type TopicMessage = Pick<FrameOf<"publish_topic">, "name" | "value" | "definition" | "definition_name">;
export type PublishedTopic = Pick<Ok<AnswerOf<"publish_topic">>, "subscribers">;
export type ServiceCall = Pick<FrameOf<"call_service">, "name" | "endpoint" | "request">;
export type OverrideChange = Pick<FrameOf<"set_parameter_override">, "service" | "provider_id" | "parameter" | "enabled" | "value">;
export type NamedParameter = Pick<OverrideChange, "service" | "provider_id" | "parameter">;
export type TopicSample = ManagerFrameOf<"topic_sample">;

export interface TopicRequest {
  readonly maxRate: number;
  readonly receive: (sample: TopicSample) => void;
  readonly fields?: readonly string[];
  readonly grants?: Sight;
}

/** Parameters, and the providers that did not answer. */
export interface FoundParameters {
  readonly parameters: Parameter[];
  readonly errors: AnswerOf<"request_parameters">["errors"];
}

/** The subject of a frame. */
export type DataObject =
  | { readonly topic: string }
  | Pick<ServiceCall, "name" | "endpoint">
  | Pick<NamedParameter, "service" | "provider_id">;

/**
 * Programs on the bus, and what they publish and provide. Lists are current. Rejections are MgrError: `not_found` for an unknown name,
 * `host_unavailable` if there is no answer, `timeout`, and `bad_field` or `conflict` if a service refuses. With `grants`, lists and samples are
 * those that a user with these roles on some processes sees.
 */
export interface DataPlane {
  clients(grants: Sight): Client[];
  topics(grants: Sight): Topic[];
  services(grants: Sight): Service[];
  /** The processes to which an object belongs. */
  ownersOf(object: DataObject): Owners;
  /** The part of a change that such grants show. */
  changeFor(change: ChangeFrame, grants: readonly Grant[]): readonly ChangeFrame[];
  /** Measures for `seconds`. */
  topicsStat(seconds: number, grants: Sight): Promise<TopicsStat>;
  topicDetail(name: string, grants: Sight): Promise<TopicDetail>;
  /** Measures for about a second why messages of a topic do not arrive. The topic need not exist. */
  traceTopic(request: TraceRequest, grants: Sight): Promise<TopicTrace>;
  /** Publishes a message. The topic is reserved for the user until some time after the last message. */
  publishTopic(message: TopicMessage, by: string): Promise<PublishedTopic>;
  callService(call: ServiceCall, by: string): Promise<unknown>;
  parameters(pattern: string, grants: Sight): Promise<FoundParameters>;
  setOverride(change: OverrideChange, by: string): Promise<{ enabled: boolean; value: string }>;
  openScope(parameter: NamedParameter, by: string): Promise<{ topic: string; process: string }>;
  /**
   * Sends at most `maxRate` samples per second, the newest ones. With `fields`, the values of these numeric fields are included for all samples. The
   * topic need not exist yet. Returns the function that unsubscribes.
   */
  followTopic(name: string, request: TopicRequest): () => void;
}
