import { arrayOf, nullable, oneOf, optional, table } from "../../contract/field-types.ts";
import { type FeatureContract, result, route, row } from "../../contract/rows.ts";

const role = oneOf("viewer", "operator", "admin");

export const accessTokensContract: FeatureContract = {
  clientFrames: {
    request_access_tokens: row({}, "access_tokens"),
    create_access_token: row(
      {
        name: "string",
        role,
        on: optional(arrayOf("string")),
        for_url: optional("boolean"),
        may_download: optional("boolean"),
        lifetime: optional("integer"),
      },
      "access_token_created",
    ),
    revoke_access_token: row({ name: "string" }, "access_token_revoked"),
  },
  managerFrames: {
    access_tokens: result({}, { tokens: arrayOf(table("access token")) }),
    access_token_created: result({ name: "string" }, { token: table("access token"), secret: "string" }),
    access_token_revoked: result({ name: "string" }),
  },
  resources: {
    "access token": {
      name: "string",
      role,
      on: nullable(arrayOf("string")),
      for_url: "boolean",
      may_download: "boolean",
      created: "timestamp",
      created_by: "string",
      expires: "timestamp",
      valid: "boolean",
    },
  },
  taken: { create_access_token: { name: "wall", lifetime: 3_600 }, revoke_access_token: { name: "wall" } },
  routes: [
    route(["GET", "/mgr/enter"], {}, "text/html", { authenticated: false }),
    route(["GET", "/mgr/enter.js"], {}, "text/javascript", { authenticated: false }),
  ],
};
