import type { ManagerFeature } from "../../../app/feature.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import { dataPlane } from "../../data-plane/manager/index.ts";
import { recordings } from "../../recordings/manager/index.ts";
import { replayHandlers } from "./handlers.ts";
import { ManagerPlaybacks } from "./manager-playbacks.ts";
import type { Playbacks } from "./playbacks.ts";

/** Plays recordings on the hosts that have their files. */
export const replay: ManagerFeature<Playbacks> = {
  name: "replay",
  attach({ clock, events, hosts, log, named, use }) {
    const topics = use(dataPlane);
    const service = new ManagerPlaybacks({
      clock,
      events,
      hosts,
      log,
      named,
      recordings: use(recordings),
      topics: () => topics.topics(null),
    });
    return { service, ...replayExtension(service), close: () => service.close() };
  },
};

export function replayExtension(service: Playbacks): FeatureExtension {
  return { transport: { handlers: replayHandlers(service) } };
}
