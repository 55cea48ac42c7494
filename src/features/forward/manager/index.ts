import type { ManagerFeature } from "../../../app/feature.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import { forwardHandlers } from "./handlers.ts";
import { ManagerForwards } from "./manager-forwards.ts";
import { forwardSocket } from "./socket.ts";
import { webPortRoutes } from "./web/routes.ts";
import { WebPorts } from "./web/web-ports.ts";

/** Forwards of TCP ports of hosts to the machines of users. */
export const forward: ManagerFeature<null> = {
  name: "forward",
  attach({ clock, config, hostEntries, hostName, hosts, log, named, observe }) {
    const forwards = new ManagerForwards({
      clock,
      hostName,
      log,
      named,
      observe,
      isReady: (host) => hosts.session(host)?.isOpen ?? false,
      allowed: () => config().forward,
    });
    const webPorts = new WebPorts({ clock, forwards, hostEntries, allowedHosts: () => config().instance.allowed_hosts });
    return {
      service: null,
      ...forwardExtension(forwards, webPorts),
      reconfigured: () => forwards.reconfigure(),
      close() {
        webPorts.close();
        forwards.closeAll();
      },
    };
  },
};

export function forwardExtension(forwards: ManagerForwards, webPorts: WebPorts): FeatureExtension {
  return {
    transport: { handlers: forwardHandlers(forwards) },
    http: {
      sockets: [forwardSocket(forwards)],
      routes: (services) => webPortRoutes(webPorts, forwards, services),
      site: webPorts,
    },
  };
}
