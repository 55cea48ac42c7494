import type { ManagerFeature } from "../../../app/feature.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import { loginRoutes } from "./login-routes.ts";
import { OidcLogins } from "./oidc-logins.ts";

/** Logins at an OpenID provider (OpenID Connect). */
export const oidc: ManagerFeature<null> = {
  name: "oidc",
  attach: ({ clock, config }) => {
    const monotonic = () => performance.now();
    const logins = new OidcLogins({ config, now: () => clock.now(), monotonic });
    return { service: null, ...oidcExtension(logins, monotonic), close: () => logins.close() };
  },
};

export function oidcExtension(logins: OidcLogins, monotonic: () => number): FeatureExtension {
  return { http: { logins: (host) => logins.source(host), routes: () => loginRoutes(logins, monotonic) } };
}
