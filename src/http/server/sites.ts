import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { SHUTTING_DOWN } from "../access/gate.ts";
import type { Site } from "../extension.ts";
import { type Refusal, refusal, refuse, refuseOnSocket } from "../request/refusal.ts";
import type { RemoteEnd } from "../request/remote-end.ts";
import { rawHeaders } from "../request/request-headers.ts";

interface SitesOptions {
  readonly sites: readonly Site[];
  readonly remoteOf: (socket: Socket) => RemoteEnd;
  readonly isClosing: () => boolean;
  /** Whether plain HTTP is answered by a redirect. */
  readonly isHttpsOnly: boolean;
}

/** Passes requests for host names of sites to them. No route of the manager is reached by these names, and no site by another name. */
export class Sites {
  readonly #options: SitesOptions;

  constructor(options: SitesOptions) {
    this.#options = options;
  }

  /** Serves a request for a site; false: it is for the manager. */
  request(request: IncomingMessage, response: ServerResponse): boolean {
    const found = this.#find(request);
    if (found === null) return false;
    request.on("error", () => response.destroy());
    const remote = this.#options.remoteOf(request.socket);
    const refused = this.#check(request, found.host, remote);
    if (refused === null) found.site.onRequest(request, response, remote);
    else refuse(response, refused);
    return true;
  }

  /** Serves an upgrade for a site; false: it is for the manager. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean {
    const found = this.#find(request);
    if (found === null) return false;
    socket.on("error", () => socket.destroy());
    const remote = this.#options.remoteOf(request.socket);
    const refused = this.#check(request, found.host, remote) ?? upgradeProblem(request);
    if (refused === null) found.site.onUpgrade(request, socket, head, remote);
    else refuseOnSocket(socket, refused);
    return true;
  }

  /** A request with several Host headers is for none of the sites. */
  #find(request: IncomingMessage): { site: Site; host: string } | null {
    const host = rawHeaders(request).get("host");
    const site = host === null ? undefined : this.#options.sites.find((each) => each.serves(host));
    return host === null || site === undefined ? null : { site, host };
  }

  #check({ url = "", httpVersion }: IncomingMessage, host: string, remote: RemoteEnd): Refusal | null {
    const { isClosing, isHttpsOnly } = this.#options;
    if (isClosing()) return SHUTTING_DOWN;
    if (httpVersion !== "1.1") return refusal(505, "Use HTTP/1.1.", { Connection: "close" });
    // An absolute URL would name another host than the Host header.
    if (!url.startsWith("/")) return refusal(400, "Malformed request URL.");
    if (!isHttpsOnly || remote.isSecure) return null;
    const location = `https://${host}${url}`;
    return refusal(308, `Use HTTPS: ${location}`, { Location: location });
  }
}

/** The bytes behind the headers of an upgrade are no body: with one, the program might read them as another request. */
function upgradeProblem({ method, headers }: IncomingMessage): Refusal | null {
  if (headers.upgrade?.toLowerCase() !== "websocket") return refusal(400, "Unsupported upgrade: use 'websocket'.");
  if (method !== "GET") return refusal(405, "A WebSocket upgrade must be a GET request.", { Allow: "GET" });
  const hasBody = headers["transfer-encoding"] !== undefined || (headers["content-length"] ?? "0") !== "0";
  return hasBody ? refusal(400, "A WebSocket upgrade has no body.") : null;
}
