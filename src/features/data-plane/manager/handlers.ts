import type { FrameObject } from "../../../transport/frame-schedule.ts";
import type { HandlerTable } from "../../../transport/handlers/handler.ts";
import { DEFAULT_SAMPLE_RATE, DEFAULT_SAMPLE_SECONDS } from "../wire/topic.ts";

type Types =
  | "request_clients"
  | "request_topics"
  | "request_services"
  | "request_topics_stat"
  | "request_topic_detail"
  | "request_topic_scheduling"
  | "apply_topic_scheduling"
  | "subscribe_topic"
  | "unsubscribe_topic"
  | "publish_topic"
  | "call_service"
  | "request_parameters"
  | "set_parameter_override"
  | "open_parameter_scope";

const aboutTopic = ({ name }: { name: string }): FrameObject => ({ kind: "topic", name });
const aboutProvider = ({ provider_id }: { provider_id: number }): FrameObject => ({ kind: "provider", name: String(provider_id) });

/** Clients, topics, services, parameters. */
export const dataPlaneHandlers: HandlerTable<Types> = {
  request_clients: {
    kind: "request",
    answer: (_frame, { control }) => [{ type: "clients_snapshot", clients: control.dataPlane.clients() }],
  },
  request_topics: {
    kind: "request",
    answer: (_frame, { control }) => [{ type: "topics_snapshot", topics: control.dataPlane.topics() }],
  },
  request_services: {
    kind: "request",
    answer: (_frame, { control }) => [{ type: "services_snapshot", services: control.dataPlane.services() }],
  },
  request_topics_stat: {
    kind: "request",
    answer: async ({ sample_seconds = DEFAULT_SAMPLE_SECONDS }, { control }) => [
      { type: "topics_stat", ok: true, ...(await control.dataPlane.topicsStat(sample_seconds)) },
    ],
  },
  request_topic_detail: {
    kind: "request",
    about: aboutTopic,
    answer: async ({ name }, { control }) => [{ type: "topic_detail", ok: true, name, ...(await control.dataPlane.topicDetail(name)) }],
  },
  request_topic_scheduling: {
    kind: "request",
    about: aboutTopic,
    answer: async ({ name }, { control }) => [
      { type: "topic_scheduling", ok: true, name, tasks: await control.dataPlane.topicScheduling(name) },
    ],
  },
  apply_topic_scheduling: {
    kind: "request",
    about: aboutTopic,
    answer: async ({ name, tasks }, { control, principal }) => {
      const applied = await control.dataPlane.applyTopicScheduling(name, tasks, principal.user);
      return [{ type: "topic_scheduling_result", ok: true, name, tasks: applied }];
    },
  },
  subscribe_topic: {
    kind: "command",
    run: ({ name, max_rate = DEFAULT_SAMPLE_RATE, fields }, context) => context.followTopic(name, max_rate, fields),
  },
  unsubscribe_topic: { kind: "command", run: ({ name }, context) => context.unfollowTopic(name) },
  publish_topic: {
    kind: "request",
    about: aboutTopic,
    answer: async ({ type: _, request_id: _id, ...message }, { control, principal }) => {
      const published = await control.dataPlane.publishTopic(message, principal.user);
      return [{ type: "topic_publish_result", ok: true, name: message.name, ...published }];
    },
  },
  call_service: {
    kind: "request",
    about: ({ name }) => ({ kind: "service", name }),
    answer: async ({ name, endpoint, request }, { control, principal }) => {
      const response = await control.dataPlane.callService({ name, endpoint, request }, principal.user);
      return [{ type: "service_call_result", ok: true, name, endpoint, response }];
    },
  },
  request_parameters: {
    kind: "request",
    about: () => ({ kind: "provider", name: null }),
    answer: async ({ pattern }, { control }) => [
      { type: "parameters_snapshot", pattern, ...(await control.dataPlane.parameters(pattern)) },
    ],
  },
  set_parameter_override: {
    kind: "request",
    about: aboutProvider,
    answer: async ({ service, provider_id, parameter, enabled, value }, { control, principal }) => {
      const named = { service, provider_id, parameter };
      const now = await control.dataPlane.setOverride({ ...named, enabled, value }, principal.user);
      return [{ type: "parameter_override_result", ok: true, ...named, ...now }];
    },
  },
  open_parameter_scope: {
    kind: "request",
    about: aboutProvider,
    answer: async ({ service, provider_id, parameter }, { control, principal }) => {
      const named = { service, provider_id, parameter };
      const opened = await control.dataPlane.openScope(named, principal.user);
      return [{ type: "parameter_open_scope_result", ok: true, ...named, ...opened }];
    },
  },
};
