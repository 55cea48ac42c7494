import type { IncomingMessage } from "node:http";

/** The part of fetch's `Headers` that is needed to admit a request. */
export type RequestHeaders = Pick<Headers, "get">;

/**
 * The headers of an upgrade, where repeated ones are joined: Node's own `headers` keeps the first `Host` and `Authorization` only. A real
 * `Headers` loads Node's whole `fetch`, 9 MiB, which a manager without a browser does not need. `get` requires a lower-case name.
 */
export function rawHeaders({ rawHeaders: all }: Pick<IncomingMessage, "rawHeaders">): RequestHeaders {
  return {
    get(name) {
      const values = all.filter((_, index) => index % 2 === 1 && all[index - 1]?.toLowerCase() === name);
      return values.length === 0 ? null : values.join(name === "cookie" ? "; " : ", ");
    },
  };
}
