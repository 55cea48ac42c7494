import { isIP, isIPv4, isIPv6 } from "node:net";
import type { z } from "zod";
import { ROLES } from "../../base/access/access.ts";
import type { ConfigFeature } from "../../config/config-feature.ts";
import { defaulted, described, listOf, orNull, section } from "../../config/schema/schema-kinds.ts";
import { choice, text } from "../../config/schema/schema-values.ts";

const address = text("an address such as 10.0.0.7, or a network such as 10.0.0.0/24", (value) => {
  const [ip = "", length, ...more] = value.split("/");
  const bits = isIPv4(ip) ? 32 : isIPv6(ip) && !ip.includes("%") ? 128 : 0;
  const isLength = length === undefined || (/^\d{1,3}$/.test(length) && Number(length) >= 1 && Number(length) <= bits);
  return bits > 0 && isLength && more.length === 0
    ? null
    : `must be an address such as 10.0.0.7, or a network such as 10.0.0.0/24, found '${value}'`;
});

/** Headers that say something else, so that they cannot name a user. */
const TAKEN = new Set(["authorization", "cookie", "host", "origin", "referer", "user-agent"]);

const header = text("the name of a header", (value) => {
  if (!/^[A-Za-z0-9-]{1,64}$/.test(value)) return `must be 1 to 64 letters, digits or '-', found '${value}'`;
  return TAKEN.has(value.toLowerCase()) ? `the header ${value} has another meaning` : null;
});

const trustedProxy = section(
  {
    addresses: described(
      "Addresses and networks of the proxy. Every program that can connect from them can act as any of its users.",
      listOf("addresses", address, { minItems: 1 }),
    ),
    user_header: defaulted("Header in which the proxy names the user. Default {}.", header, "X-Forwarded-User"),
    role: defaulted("Role of its users on everything. Default {}.", choice(...ROLES), "viewer"),
  },
  {
    json: { required: ["addresses"] },
    check: (values, report) => {
      const addresses = values.get("addresses") ?? [];
      if (Array.isArray(addresses) && addresses.length === 0)
        report({ path: ["addresses"], message: "must list the addresses of the proxy", at: "key" });
    },
  },
).transform(({ addresses = [], ...rest }) => ({ addresses, ...rest }));

export type TrustedProxySettings = Readonly<z.output<typeof trustedProxy>>;

export const trustedProxyConfig = {
  instance: {
    trusted_proxy: orNull("A proxy that logs in the users, and names them in a header. Without it such headers are ignored.", trustedProxy),
  },
} satisfies ConfigFeature;

/** The address and the length of its network, bits. */
export function networkOf(value: string): { readonly ip: string; readonly bits: number; readonly family: "ipv4" | "ipv6" } {
  const [ip = "", length] = value.split("/");
  const family = isIP(ip) === 4 ? "ipv4" : "ipv6";
  return { ip, bits: length === undefined ? (family === "ipv4" ? 32 : 128) : Number(length), family };
}
