import { type FeatureContract, route } from "../../contract/rows.ts";

/** Without `instance.oidc`, nothing can be logged in there. */
const ABSENT = { authenticated: false, status: 404 };

export const oidcContract: FeatureContract = {
  routes: [
    route(["GET", "/mgr/oidc/login"], { to: "string" }, "text/plain", ABSENT),
    route(["GET", "/mgr/oidc/callback"], {}, "text/plain", ABSENT),
  ],
};
