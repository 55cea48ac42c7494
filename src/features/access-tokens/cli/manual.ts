import type { Pages } from "../../../cli/command/feature.ts";

/** Manual of `mgr token`. */
export const TOKEN_PAGES: Pages = {
  token: {
    about: "An access token logs in a browser by a link, or a script, without a password and with a role of its own. See docs/logins.md.",
    examples: [
      ["mgr token create wall --role viewer --on 'sim/*' --expires 7d", "a link for a wall screen"],
      ["mgr token list", "which tokens exist"],
    ],
  },
  "token create": {
    about: `The user of the token is token:NAME. Without a name, one is made of the role. The token and its link are shown only now: only a hash is
kept, beside the auth file. The link is as good as a password, so send it like one. It ends when it expires or is revoked, and when the web user who
created it is removed. With --for-url it does not log in: it counts only in the URLs of viewers (docs/foxglove.md), and has no link. Admins only.`,
    json: "an AccessToken with secret and, without --for-url, link (docs/protocol.md)",
    completes: { "--on": ["process", "group"] },
    examples: [
      ["mgr token create wall --role viewer --on 'sim/*' --expires 7d", "a read-only link to the processes of sim"],
      ["mgr token create desk --role viewer --for-url --download", "a token for a viewer of topics and recordings"],
      ["mgr token create ci --role operator --save ci.token", "a token for a script: MGR_TOKEN_FILE=ci.token mgr --url …"],
    ],
  },
  "token list": {
    about: "Without the tokens themselves, which are not kept. Expired tokens are not listed. Admins only.",
    json: "an array of AccessToken (docs/protocol.md)",
    examples: [["mgr token list", "name, role, processes, creator and end"]],
  },
  "token revoke": {
    about: "Its sessions end, and its WebSockets, log streams and downloads are closed. Admins only.",
    examples: [["mgr token revoke wall", "the link does not work any more"]],
  },
};
