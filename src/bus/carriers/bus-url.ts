import { MgrError } from "../../base/errors.ts";

const SCHEMES = new Set(["nats:", "tls:", "ws:", "wss:"]);

/** Parses the address of a bus; throws `bad_field`, without secrets of the address. */
export function busUrl(text: string): URL {
  const problem = busUrlProblem(text);
  if (problem !== null) throw new MgrError("bad_field", `the bus address ${problem}`);
  return new URL(text);
}

/** Reason why `text` is not an address of a bus, as a sentence without a subject; null if it is one. */
export function busUrlProblem(text: string): string | null {
  if (!URL.canParse(text)) return "is not a URL; write it like nats://10.0.0.1:4222";
  const { protocol, hostname } = new URL(text);
  if (!SCHEMES.has(protocol)) return `begins with '${protocol}//'; it must be nats://, tls://, ws:// or wss://`;
  return hostname === "" ? "names no host" : null;
}

/** The address without user and password, for messages. */
export function placeOf({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname === "/" ? "" : pathname}`;
}
