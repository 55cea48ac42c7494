import type { PortRange } from "./port-ranges.ts";

/** GET with `?host=HOST`, and POST with `?host=HOST&port=PORT`, which answers `{"url": …}`. */
export const WEB_PORTS_PATH = "/mgr/forward/web";

/** The ports of a host that a page can open. */
export interface WebPortsAnswer {
  /** The host name of a port behind `<port>-`, such as `bench.localhost:8130`; null: there is none. */
  readonly name: string | null;
  /** Why there is no name. */
  readonly reason: string | null;
  /** Ports that the user may open. */
  readonly ports: readonly PortRange[];
}
