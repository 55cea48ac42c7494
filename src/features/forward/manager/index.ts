import type { ManagerFeature } from "../../../app/feature.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import { forwardHandlers } from "./handlers.ts";
import { ManagerForwards } from "./manager-forwards.ts";
import { forwardSocket } from "./socket.ts";

/** Forwards of TCP ports of hosts to the machines of users. */
export const forward: ManagerFeature<null> = {
  name: "forward",
  attach({ clock, config, hostName, hosts, log, named, observe }) {
    const forwards = new ManagerForwards({
      clock,
      hostName,
      log,
      named,
      observe,
      isReady: (host) => hosts.session(host)?.isOpen ?? false,
      allowed: () => config().forward,
    });
    return { service: null, ...forwardExtension(forwards), reconfigured: () => forwards.reconfigure(), close: () => forwards.closeAll() };
  },
};

export function forwardExtension(forwards: ManagerForwards): FeatureExtension {
  return { transport: { handlers: forwardHandlers(forwards) }, http: { sockets: [forwardSocket(forwards)] } };
}
