import { busUrlProblem } from "../../bus/carriers/bus-url.ts";
import { leaf, Refusal } from "./schema-kinds.ts";
import { text } from "./schema-values.ts";

/** Addresses, URLs, host names and HTTP headers in a configuration, as schema-values.ts has the other values. */
/** `[HOST]:PORT`, where HOST may be empty (every interface) and an IPv6 address is in brackets. */
export const listenAddress = leaf<string, { host: string; port: number }>(
  "HOST:PORT, or :PORT for every interface, such as localhost:8130",
  { type: "string", pattern: String.raw`^([A-Za-z0-9._-]*|\[[0-9A-Fa-f:.%A-Za-z0-9]+\]):\d{1,5}$` },
  (value) => {
    if (typeof value === "number")
      return new Refusal(`must be HOST:PORT, found ${value}; write '":${value}"' for every interface or 'localhost:${value}'`);
    if (typeof value !== "string") return undefined;
    const match = /^(?:([A-Za-z0-9._-]*)|\[([0-9A-Fa-f:.]+(?:%[A-Za-z0-9._-]+)?)\]):(\d{1,5})$/.exec(value);
    if (match === null)
      return /^[0-9A-Fa-f:]+:\d+$/.test(value)
        ? new Refusal(`an IPv6 address must be in brackets, such as '[::1]:8130', found '${value}'`)
        : undefined;
    const port = Number(match[3]);
    if (port > 65_535) return new Refusal(`the port must be from 0 to 65535, found ${port}`);
    if (match[2] !== undefined && !URL.canParse(`http://[${match[2].replace(/%.*/, "")}]/`))
      return new Refusal(`'${match[2]}' is not an IPv6 address`);
    return { host: match[2] ?? match[1] ?? "", port };
  },
);

/** A port of this host, or HOST:PORT. */
export const tcpTarget = leaf<number | string, { host: string; port: number }>(
  "a port from 1 to 65535, or HOST:PORT",
  {
    anyOf: [
      { type: "integer", minimum: 1, maximum: 65_535 },
      { type: "string", pattern: String.raw`^([A-Za-z0-9._-]*|\[[0-9A-Fa-f:.]+\]):\d{1,5}$` },
    ],
  },
  (value) => {
    const match = typeof value === "string" ? /^(?:([A-Za-z0-9._-]*)|\[([0-9A-Fa-f:.]+)\]):(\d{1,5})$/.exec(value) : null;
    const port = typeof value === "number" ? value : Number(match?.[3] ?? 0);
    if (!Number.isInteger(port) || port < 1 || port > 65_535) return undefined;
    return { host: match?.[2] || match?.[1] || "localhost", port };
  },
);

export const httpUrl = text("a URL that begins with http:// or https://", (value) =>
  /^https?:\/\/[^/]/.test(value) && URL.canParse(value) ? null : `must be a URL that begins with http:// or https://, found '${value}'`,
);

export const leafnodeAddress = text("the URL of a leaf-node listener, such as nats://10.0.0.1:7422", (value) => {
  const problem = busUrlProblem(value);
  if (problem !== null) return problem;
  return /^(nats|tls):/.test(value) ? null : "must begin with nats:// or tls://";
});

export const busAddress = text("the URL of a NATS server, such as nats://10.0.0.1:4222", busUrlProblem);

export const headerValue = leaf<string, string>("a string", { type: "string" }, (value) => {
  if (typeof value !== "string") return undefined;
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(value) ? value : new Refusal("contains characters that are not allowed in an HTTP header");
});

export function headerProblem(name: string): string | null {
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) ? null : `'${name}' is not a valid HTTP header name`;
}

export const hostName = text("a host name without scheme and port, such as bench.lab", (value) =>
  /^[\p{L}\p{N}_](?:[\p{L}\p{N}._-]{0,252})$/u.test(value) ? null : `must be a host name without scheme and port, found '${value}'`,
);

export const hostNameOrWildcard = text(
  "a host name without scheme and port, such as bench.lab, or a wildcard such as *.bench.lab",
  (value) =>
    /^(?=.{1,253}$)(?:\*\.)?[\p{L}\p{N}_][\p{L}\p{N}._-]*$/u.test(value)
      ? null
      : `must be a host name without scheme and port, or a wildcard such as *.bench.lab, found '${value}'`,
);

/** The problem of a name for hosts or networks; null: it is valid. */
export function hostNameProblem(name: string): string | null {
  return /^[\p{L}\p{N}_][\p{L}\p{N}._-]{0,252}$/u.test(name) ? null : `'${name}' may contain only letters, digits, '.', '_' and '-'`;
}

export const origin = text("an origin, such as https://dash.lab:3000", (value) =>
  /^https?:\/\/[^/?#\\@\s*]+$/i.test(value) && URL.canParse(value)
    ? null
    : `must be an origin of scheme, host and port, such as https://dash.lab:3000, found '${value}'`,
).transform((value) => new URL(value).origin);
