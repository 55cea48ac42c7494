import type { FrameObject } from "../../../transport/frame-schedule.ts";
import { aboutNamed, type HandlerContext, type HandlerTable, perConnection } from "../../../transport/handlers/handler.ts";
import { DEFAULT_SAMPLE_RATE, DEFAULT_SAMPLE_SECONDS } from "../wire/topic.ts";
import type { dataPlaneCommands } from "../wire.ts";
import type { DataPlane } from "./data-plane.ts";
import type { Sight } from "./granted-changes.ts";
import { ConnectionTopics } from "./topics/connection-topics.ts";

const aboutTopic = aboutNamed("topic");
const aboutProvider = ({ provider_id }: { provider_id: number }): FrameObject => ({ kind: "provider", name: String(provider_id) });

/** The grants of a connection that does not show everything. */
const sightOf = ({ view }: Pick<HandlerContext, "view">): Sight => (view.kind === "granted" ? view.grants : null);

/** Handlers for clients, topics, services and parameters. */
export function dataPlaneHandlers(dataPlane: DataPlane): HandlerTable<keyof typeof dataPlaneCommands> {
  const subscriptionsOf = perConnection(
    (context) => new ConnectionTopics(dataPlane, (frame) => context.push(frame), sightOf(context)),
    (subscriptions) => subscriptions.close(),
  );
  return {
    request_clients: {
      kind: "request",
      answer: (_frame, context) => [{ type: "clients_snapshot", clients: dataPlane.clients(sightOf(context)) }],
    },
    request_topics: {
      kind: "request",
      answer: (_frame, context) => [{ type: "topics_snapshot", topics: dataPlane.topics(sightOf(context)) }],
    },
    request_services: {
      kind: "request",
      answer: (_frame, context) => [{ type: "services_snapshot", services: dataPlane.services(sightOf(context)) }],
    },
    request_topics_stat: {
      kind: "request",
      answer: async ({ sample_seconds = DEFAULT_SAMPLE_SECONDS }, context) => [
        { type: "topics_stat", ok: true, ...(await dataPlane.topicsStat(sample_seconds, sightOf(context))) },
      ],
    },
    request_topic_detail: {
      kind: "request",
      about: aboutTopic,
      owners: ({ name }) => dataPlane.ownersOf({ topic: name }),
      answer: async ({ name }, context) => [
        { type: "topic_detail", ok: true, name, ...(await dataPlane.topicDetail(name, sightOf(context))) },
      ],
    },
    trace_topic: {
      kind: "request",
      about: aboutTopic,
      owners: ({ name }) => dataPlane.ownersOf({ topic: name }),
      answer: async ({ name, to }, context) => {
        const trace = await dataPlane.traceTopic({ name, ...(to === undefined ? {} : { to }) }, sightOf(context));
        return [{ type: "topic_trace", ok: true, name, ...trace }];
      },
    },
    subscribe_topic: {
      kind: "command",
      run: ({ name, max_rate = DEFAULT_SAMPLE_RATE, fields }, context) => subscriptionsOf(context).follow(name, max_rate, fields),
    },
    unsubscribe_topic: { kind: "command", run: ({ name }, context) => subscriptionsOf(context).unfollow(name) },
    publish_topic: {
      kind: "request",
      about: aboutTopic,
      answer: async ({ type: _, request_id: _id, ...message }, { principal }) => {
        const published = await dataPlane.publishTopic(message, principal.user);
        return [{ type: "topic_publish_result", ok: true, name: message.name, ...published }];
      },
    },
    call_service: {
      kind: "request",
      about: aboutNamed("service"),
      owners: ({ name, endpoint }) => dataPlane.ownersOf({ name, endpoint }),
      answer: async (call, { principal }) => {
        const response = await dataPlane.callService(call, principal.user);
        return [{ type: "service_call_result", ok: true, name: call.name, endpoint: call.endpoint, response }];
      },
    },
    request_parameters: {
      kind: "request",
      about: () => ({ kind: "provider", name: null }),
      answer: async ({ pattern }, context) => [
        { type: "parameters_snapshot", pattern, ...(await dataPlane.parameters(pattern, sightOf(context))) },
      ],
    },
    set_parameter_override: {
      kind: "request",
      about: aboutProvider,
      owners: ({ service, provider_id }) => dataPlane.ownersOf({ service, provider_id }),
      answer: async ({ service, provider_id, parameter, enabled, value }, { principal }) => {
        const named = { service, provider_id, parameter };
        const now = await dataPlane.setOverride({ ...named, enabled, value }, principal.user);
        return [{ type: "parameter_override_result", ok: true, ...named, ...now }];
      },
    },
    open_parameter_scope: {
      kind: "request",
      about: aboutProvider,
      answer: async ({ service, provider_id, parameter }, { principal }) => {
        const named = { service, provider_id, parameter };
        const opened = await dataPlane.openScope(named, principal.user);
        return [{ type: "parameter_open_scope_result", ok: true, ...named, ...opened }];
      },
    },
  };
}
