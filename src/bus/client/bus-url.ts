import { MgrError } from "../../base/errors.ts";

const SCHEMES = new Set(["nats:", "tls:", "ws:", "wss:"]);

/** The address of a bus; throws `bad_field`. Secrets in it are not repeated. */
export function busUrl(text: string): URL {
  const problem = busUrlProblem(text);
  if (problem !== null) throw new MgrError("bad_field", `the bus address ${problem}`);
  return new URL(text);
}

/** Why `text` is no address of a bus, as a sentence without a subject; null if it is one. */
export function busUrlProblem(text: string): string | null {
  if (!URL.canParse(text)) return "is no URL; write it like nats://10.0.0.1:4222";
  const { protocol, hostname } = new URL(text);
  if (!SCHEMES.has(protocol)) return `begins with '${protocol}//'; it must be nats://, tls://, ws:// or wss://`;
  return hostname === "" ? "names no host" : null;
}

/** For people: without user and password. */
export function placeOf({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname === "/" ? "" : pathname}`;
}
