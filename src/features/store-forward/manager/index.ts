import type { ManagerFeature } from "../../../app/feature.ts";
import { HostParts } from "../../../app/hosts/host-parts.ts";
import type { HostSession } from "../../../app/hosts/host-session.ts";
import { messageOf } from "../../../base/errors.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import { dataPlane } from "../../data-plane/manager/index.ts";
import type { StoreForwardSettings } from "../config.ts";
import type { StoreForwardSpec } from "../contract.ts";
import { askHosts, type FindKept, findKept, storeSteps } from "./kept-samples.ts";

/** Informs the hosts which topics they keep while their links are cut, and shows what they keep. */
export const storeForward: ManagerFeature<null> = {
  name: "store-forward",
  attach(core) {
    const { config, events, hosts, log, use } = core;
    const traffic = use(dataPlane);
    const find = findKept({
      patterns: () => config().store_forward?.topics ?? [],
      ask: (topic) => askHosts(core, topic),
      ownersOf: (object) => traffic.ownersOf(object),
    });
    traffic.addTraceSource((topic, host) => storeSteps(find, topic, host));
    const configure = (host: string, session: HostSession) => {
      const spec = specOf(config().store_forward);
      session
        .command((id) => session.link.request("store_forward_configure", { session: id, spec }))
        .catch((error: unknown) => {
          // A host that was lost is configured again when it is back; one without this feature needs none switched off.
          if (session.isOpen && spec !== null) log.warn(`host '${host}' does not keep samples for its link: ${messageOf(error)}`);
        });
    };
    const parts = new HostParts({
      hosts,
      events,
      make: (_host, session) => ({ session, close: () => {} }),
      begin: (host, { session }) => configure(host, session),
      removed: () => {},
    });
    return {
      service: null,
      ...storeForwardExtension(find),
      reconfigured: () => {
        for (const host of parts.ready) {
          const part = parts.get(host);
          if (part !== undefined) configure(host, part.session);
        }
      },
      close: () => parts.close(),
    };
  },
};

export function storeForwardExtension(find: FindKept): FeatureExtension {
  return {
    transport: {
      handlers: {
        request_kept_samples: {
          kind: "request",
          answer: async ({ name = null }, { view }) => [
            { type: "kept_samples", ...(await find(name, view.kind === "granted" ? view.grants : null)) },
          ],
        },
      },
    },
  };
}

function specOf(settings: StoreForwardSettings | null): StoreForwardSpec | null {
  if (settings === null || settings.topics.length === 0) return null;
  const { topics, max_size, max_age, share, bandwidth } = settings;
  return { topics: [...topics], max_bytes: max_size, max_age_ms: max_age, share, bandwidth };
}
