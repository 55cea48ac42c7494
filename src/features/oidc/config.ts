import type { z } from "zod";
import { ROLES } from "../../base/access/access.ts";
import { hasLength } from "../../base/text/text-length.ts";
import type { ConfigFeature } from "../../config/config-feature.ts";
import { grantList } from "../../config/schema/schema-access.ts";
import { defaulted, listOf, namedMap, orNull, section } from "../../config/schema/schema-kinds.ts";
import { secretPlace } from "../../config/schema/schema-secret.ts";
import { choice, positiveDuration, text } from "../../config/schema/schema-values.ts";

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

const issuer = text("the address of a provider, such as https://login.lab/realms/lab", (value) => {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null) return `is not a URL: '${value}'`;
  if (url.search !== "" || url.hash !== "" || url.username !== "") return "must have neither a user nor '?' or '#'";
  if (url.protocol === "https:") return null;
  return url.protocol === "http:" && LOOPBACK.test(url.hostname)
    ? null
    : `must begin with https:// (http:// is allowed for a provider on this machine only), found '${value}'`;
});

const pageAddress = text("the address at which users open the page, such as https://bench.lab:8130", (value) => {
  const url = URL.canParse(value) ? new URL(value) : null;
  const isWeb = url !== null && (url.protocol === "https:" || url.protocol === "http:");
  return isWeb && url.origin === value.replace(/\/$/, "").toLowerCase()
    ? null
    : `must be https:// or http://, a host and perhaps a port, found '${value}'`;
});

const short = (what: string, maxChars: number) =>
  text(`${what} of at most ${maxChars} characters`, (value) =>
    hasLength(value, 1, maxChars) ? null : `has more than ${maxChars} characters`,
  );
const claim = short("the name of a claim", 255);
/** RFC 6749, 3.3. */
const scope = text("a scope", (value) =>
  /^[\x21\x23-\x5b\x5d-\x7e]{1,255}$/.test(value) ? null : `must be a word without spaces, found '${value}'`,
);

const oidc = section(
  {
    issuer: issuer.meta({ description: "Address of the provider, exactly as it names itself (OpenID Connect Discovery)." }),
    client_id: short("an identifier", 255).meta({ description: "Identifier of this manager at the provider." }),
    client_secret: orNull("Secret of this manager at the provider. Omitted: a public client, which has none.", secretPlace),
    client_auth: defaulted(
      "How the secret is sent: basic (in the header Authorization) or post (in the body). Default {}.",
      choice("basic", "post"),
      "basic",
    ),
    url: pageAddress.meta({
      description: "Address at which users open the page. The provider sends their browsers back to this address with /mgr/oidc/callback.",
    }),
    name: orNull("Name of the provider on the login page. Default: the host of the issuer.", short("a name", 64)),
    scopes: defaulted("Scopes that are requested. Default {}.", listOf("scopes", scope, { minItems: 1 }), ["openid", "profile"]),
    name_claim: defaulted("Claim with the name of the user. Default {}.", claim, "preferred_username"),
    groups_claim: defaulted("Claim with the groups of the user; dots lead into objects. Default {}.", claim, "groups"),
    groups: defaulted(
      "Roles by group at the provider: one role on everything, or a list of roles on patterns. A user has those of all own groups.",
      namedMap("a mapping from groups to a role or a list of roles", grantList, (name) => (name === "" ? "is empty" : null)),
      {},
    ),
    default: defaulted(
      "Role of users who are in none of the groups: none, viewer, operator or admin. Default {}.",
      choice("none", ...ROLES),
      "none",
    ),
    session: defaulted("Time after which users have to log in again. Default {}.", positiveDuration, "12h"),
  },
  {
    check: (values, report) => {
      const scopes = values.get("scopes");
      if (Array.isArray(scopes) && !scopes.includes("openid"))
        report({ path: ["scopes"], message: "must include openid: without it the provider does not say who the user is" });
    },
  },
);

export type OidcSettings = Readonly<z.output<typeof oidc>>;

export const oidcConfig = {
  instance: { oidc: orNull("A provider at which users of the page log in by OpenID Connect (docs/logins.md).", oidc) },
} satisfies ConfigFeature;

/** The name of the provider for users. */
export const providerName = ({ name, issuer }: Pick<OidcSettings, "name" | "issuer">): string => name ?? new URL(issuer).host;

/** The origin of the page, without a slash at the end. */
export const originOf = ({ url }: Pick<OidcSettings, "url">): string => new URL(url).origin;
