import type { ManagerFeature } from "../../../app/feature.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import { AccessTokens } from "./access-tokens.ts";
import { ENTER_ROUTES } from "./enter-page.ts";

/** Access tokens: logins without a password, with a role of their own. */
export const accessTokens: ManagerFeature<null> = {
  name: "access-tokens",
  attach: ({ clock }) => ({ service: null, ...accessTokensExtension(new AccessTokens(() => clock.now())) }),
};

export function accessTokensExtension(tokens: AccessTokens): FeatureExtension {
  return {
    transport: {
      handlers: {
        request_access_tokens: {
          kind: "request",
          answer: () => [{ type: "access_tokens", ok: true, tokens: tokens.list() }],
        },
        create_access_token: {
          kind: "request",
          answer: async (frame, { principal }) => [
            { type: "access_token_created", ok: true, name: frame.name, ...(await tokens.create(frame, principal)) },
          ],
        },
        revoke_access_token: {
          kind: "request",
          answer: async ({ name }, { principal }) => {
            await tokens.revoke(name, principal);
            return [{ type: "access_token_revoked", ok: true, name }];
          },
        },
      },
    },
    http: { routes: () => ENTER_ROUTES, logins: (host) => tokens.source(host) },
  };
}
