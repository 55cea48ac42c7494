import { confinedCookie, foreignCookies } from "./port-cookie.ts";

/** Headers by lower-case name, each with its values in order. */
export type PassedHeaders = ReadonlyMap<string, readonly string[]>;

/** Where a browser has opened a port. */
export interface PublicName {
  readonly scheme: "http" | "https";
  /** The Host header: name and port. */
  readonly host: string;
}

export interface ToProgram extends PublicName {
  readonly port: number;
  /** IP address of the client. */
  readonly ip: string;
  /** Whether the program has asked for a user and password (HTTP Basic). Others in a request are not for it. */
  readonly wantsBasic: boolean;
}

/** Headers of one connection only (RFC 9110, 7.6.1), and those that the manager answers or sets by itself. */
const HOP = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];
const NOT_TO_PROGRAM = new Set([...HOP, "host", "expect", "forwarded", "x-real-ip", "http2-settings"]);
/** They would act beyond the program: on other ports of the name, or on what the manager has set for it. */
const NOT_FROM_PROGRAM = new Set([...HOP, "strict-transport-security", "clear-site-data", "alt-svc", "public-key-pins"]);

/** The headers of a request for the program. It gets the Host header that it would get on its own machine. */
export function headersToProgram(raw: readonly string[], target: ToProgram): PassedHeaders {
  const { scheme, host, port, ip, wantsBasic } = target;
  const headers = collected(raw, (name) => !NOT_TO_PROGRAM.has(name) && !name.startsWith("x-forwarded-"));
  const cookies = foreignCookies((headers.get("cookie") ?? []).join("; "));
  if (cookies === null) headers.delete("cookie");
  else headers.set("cookie", [cookies]);
  if (!wantsBasic && headers.get("authorization")?.some((value) => /^\s*basic\b/i.test(value))) headers.delete("authorization");
  // Programs compare the two, to recognize their own pages.
  const own = `localhost:${port}`;
  if (headers.get("origin")?.join() === originOf(target)) headers.set("origin", [`http://${own}`]);
  headers.set("host", [own]);
  headers.set("x-forwarded-host", [host]);
  headers.set("x-forwarded-proto", [scheme]);
  headers.set("x-forwarded-for", [ip]);
  return headers;
}

/** The headers of an answer for the browser. */
export function headersFromProgram(raw: readonly string[], port: number, name: PublicName): PassedHeaders {
  const headers = collected(raw, (each) => !NOT_FROM_PROGRAM.has(each));
  const cookies = (headers.get("set-cookie") ?? []).flatMap((cookie) => confinedCookie(cookie) ?? []);
  if (cookies.length > 0) headers.set("set-cookie", cookies);
  else headers.delete("set-cookie");
  const location = headers.get("location");
  if (location !== undefined)
    headers.set(
      "location",
      location.map((value) => publicLocation(value, port, name)),
    );
  return headers;
}

export const originOf = ({ scheme, host }: PublicName): string => new URL(`${scheme}://${host}`).origin;

/** The Location of a program that names its own machine leads to its public name. */
function publicLocation(value: string, port: number, { scheme, host }: PublicName): string {
  if (!/^(https?:)?\/\//i.test(value) || !URL.canParse(value, "http://localhost")) return value;
  const url = new URL(value, "http://localhost");
  const isOwn = ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname) && url.protocol === "http:" && Number(url.port || 80) === port;
  return isOwn ? `${scheme}://${host}${url.pathname}${url.search}${url.hash}` : value;
}

/** The headers that `mayPass`, without those that Connection lists. */
function collected(raw: readonly string[], mayPass: (name: string) => boolean): Map<string, string[]> {
  const all = new Map<string, string[]>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = (raw[at] ?? "").toLowerCase();
    all.set(name, [...(all.get(name) ?? []), raw[at + 1] ?? ""]);
  }
  const listed = new Set(
    (all.get("connection") ?? []).flatMap((value) =>
      value
        .toLowerCase()
        .split(",")
        .map((each) => each.trim()),
    ),
  );
  return new Map([...all].filter(([name]) => mayPass(name) && !listed.has(name)));
}
