import type { ManagerFeature } from "../../../app/feature.ts";
import { ProxyLogins } from "./proxy-logins.ts";

/** Logins by a reverse proxy, which names the user in a header. */
export const trustedProxy: ManagerFeature<null> = {
  name: "trusted-proxy",
  attach: ({ config }) => {
    const logins = new ProxyLogins(() => config().instance.trusted_proxy);
    return { service: null, http: { logins: (host) => logins.source(host) } };
  },
};
