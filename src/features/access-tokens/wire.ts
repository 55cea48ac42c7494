import { z } from "zod";
import { ROLES } from "../../base/access/access.ts";
import { flag, integer, text, timestamp } from "../../protocol/frames/field-kinds.ts";
import { clientFrames, managerFrames, result } from "../../protocol/frames/frame-table.ts";
import { DEFAULT_LIFETIME_S, MAX_LIFETIME_S, MAX_PATTERN_CHARS, MAX_PATTERNS, MIN_LIFETIME_S, TOKEN_NAME } from "./limits.ts";

const nameSays = "must be 1 to 64 letters, digits, '.', '_' or '-', and begin with a letter or digit";
const onSays = `must be an array of 1 to ${MAX_PATTERNS} patterns of 1 to ${MAX_PATTERN_CHARS} characters`;
const tokenName = z.string({ error: nameSays }).regex(TOKEN_NAME, { error: nameSays }).describe("Name of the token.");
const role = z.enum(ROLES, { error: `must be one of ${ROLES.join(", ")}` });
const name = z.string();

const accessToken = z
  .object({
    name,
    role,
    on: z.array(z.string()).nullable().describe("Patterns of the processes on which it has the role; null: everything."),
    for_url: z.boolean().describe("Whether it is accepted in the URLs of viewers only."),
    may_download: z.boolean().describe("Whether a viewer may download, too."),
    created: timestamp,
    created_by: z.string().describe("The user who created it. It is valid only while that user may create tokens."),
    expires: timestamp,
    valid: z.boolean().describe("False: its creator has lost the right to create tokens."),
  })
  .meta({ id: "AccessToken", description: "An access token, without its secret." });
export type AccessToken = z.infer<typeof accessToken>;

export const accessTokenCommands = clientFrames("Access tokens", {
  request_access_tokens: {
    fields: {},
    answer: "access_tokens",
    scope: "global",
    role: "admin",
    readOnly: true,
    meaning: "The access tokens. For admins.",
  },
  create_access_token: {
    fields: {
      name: tokenName,
      role,
      on: z
        .array(text(1, MAX_PATTERN_CHARS, onSays), { error: onSays })
        .min(1, { error: onSays })
        .max(MAX_PATTERNS, { error: onSays })
        .describe("fnmatch patterns of processes. Without it: everything.")
        .exactOptional(),
      for_url: flag
        .describe("true: it is accepted in the URLs of viewers only: the parameter `token` of `/mgr/foxglove` and `/mgr/recording`.")
        .exactOptional(),
      may_download: flag.describe("true: a viewer may download, too, as with `may_download` of a user.").exactOptional(),
      lifetime: integer(MIN_LIFETIME_S, MAX_LIFETIME_S)
        .describe(`Seconds until it expires; default ${DEFAULT_LIFETIME_S} (30 days).`)
        .exactOptional(),
    },
    answer: "access_token_created",
    scope: "global",
    role: "admin",
    meaning: "Creates an access token: it logs in without a password, as the user `token:<name>`. For admins.",
  },
  revoke_access_token: {
    fields: { name: tokenName },
    answer: "access_token_revoked",
    scope: "global",
    role: "admin",
    meaning: "Revokes an access token; its sessions and connections are closed. For admins.",
  },
});

export const accessTokenFrames = managerFrames("Access tokens", {
  access_tokens: result({}, { tokens: z.array(accessToken).describe("In the order of their names.") }, "The access tokens."),
  access_token_created: result(
    { name },
    { token: accessToken, secret: z.string().describe("The token itself. Only its hash is kept, so it cannot be shown again.") },
    "An access token was created.",
  ),
  access_token_revoked: result({ name }, {}, "An access token was revoked."),
});
