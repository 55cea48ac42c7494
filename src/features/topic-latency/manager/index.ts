import type { ManagerFeature } from "../../../app/feature.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import { aboutNamed } from "../../../transport/handlers/handler.ts";
import { dataPlane } from "../../data-plane/manager/index.ts";
import { wallClockNs } from "../../data-plane/wall-clock.ts";
import { flight } from "../../flight/manager/index.ts";
import { ManagerTopicLatency, type TopicLatency } from "./topic-latency.ts";

/** Latency and jitter of topics, and of chains of them. */
export const topicLatency: ManagerFeature<TopicLatency> = {
  name: "topic-latency",
  attach({ clock, hosts, use }) {
    const service = new ManagerTopicLatency({ dataPlane: use(dataPlane), flight: use(flight), hosts, clock, now: wallClockNs });
    return { service, ...topicLatencyExtension(service), close: () => service.close() };
  },
};

export function topicLatencyExtension(service: TopicLatency): FeatureExtension {
  return {
    transport: {
      handlers: {
        measure_topic_latency: {
          kind: "request",
          about: aboutNamed("topic"),
          answer: async ({ type: _type, request_id: _id, ...request }) => [
            { type: "topic_latency", ok: true, name: request.name, ...(await service.measure(request)) },
          ],
        },
      },
    },
  };
}
