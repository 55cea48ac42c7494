import type { HostEntry } from "../../../../protocol/resources/resources.ts";

// The host names under which browsers open ports: `<port>-<host>.<domain>`.

/** Browsers resolve every name below it to the loopback interface. */
const LOCAL_DOMAIN = "localhost";
/** Maximum length of a label in a host name. */
const MAX_LABEL = 63;
const NAME = /^([1-9]\d{0,4})-([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)\.([a-z0-9._-]*[a-z0-9])(?::\d{1,5})?$/;
const HOST_LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
const LOCAL_PAGE = /^(?:localhost|[^:]+\.localhost|127\.[\d.]+|\[::1\])(?::\d{1,5})?$/;

export interface WebName {
  readonly port: number;
  /** A name of a host in lower case, which need not exist. */
  readonly host: string;
}

/** The domains of wildcards in `instance.allowed_hosts`, such as `bench.lab` of `*.bench.lab`. */
export function domainsOf(allowedHosts: readonly string[]): string[] {
  return allowedHosts.filter((name) => name.startsWith("*.")).map((name) => name.slice(2).toLowerCase());
}

/** Parses a Host header; null: it is no name of a port. */
export function parseWebName(header: string, domains: readonly string[]): WebName | null {
  const [label = "", port, host = "", domain = ""] = NAME.exec(header.toLowerCase()) ?? [];
  if (label === "" || Number(port) > 65_535 || !(domain === LOCAL_DOMAIN || domains.includes(domain))) return null;
  return { port: Number(port), host };
}

/** The domain for a page with this Host header, with the port of the header; null: there is none. */
export function domainFor(header: string, domains: readonly string[]): string | null {
  const page = header.toLowerCase();
  const [, port = ""] = /(:\d{1,5})$/.exec(page) ?? [];
  if (LOCAL_PAGE.test(page)) return LOCAL_DOMAIN + port;
  const name = page.slice(0, page.length - port.length);
  const near = domains.find((domain) => name === domain || name.endsWith(`.${domain}`)) ?? domains[0];
  return near === undefined ? null : near + port;
}

/** A name of the host that can be a part of a host name; null: it has none. */
export function labelOf({ name, all_names }: Pick<HostEntry, "name" | "all_names">): string | null {
  const room = MAX_LABEL - "65535-".length;
  return [name, ...all_names].map((each) => each.toLowerCase()).find((each) => each.length <= room && HOST_LABEL.test(each)) ?? null;
}
