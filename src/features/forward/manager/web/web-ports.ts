import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import { MgrError } from "../../../../base/errors.ts";
import { type Clock, everyBeat } from "../../../../base/timing/clock.ts";
import { withTimeout } from "../../../../base/timing/wait.ts";
import { schemeOf } from "../../../../http/access/host-check.ts";
import type { Site } from "../../../../http/extension.ts";
import { type Refusal, refusal, refuse, refuseOnSocket } from "../../../../http/request/refusal.ts";
import type { RemoteEnd } from "../../../../http/request/remote-end.ts";
import { rawHeaders } from "../../../../http/request/request-headers.ts";
import type { Followers } from "../../../../http/server/open-connections.ts";
import type { HostEntry } from "../../../../protocol/resources/resources.ts";
import { forwardRefusal } from "../forward-refusal.ts";
import type { ManagerForwards } from "../manager-forwards.ts";
import { CountedChannel } from "./counted-channel.ts";
import { type Grant, Grants } from "./grants.ts";
import { headersFromProgram, headersToProgram, originOf, type PublicName } from "./passed-headers.ts";
import { portCookie, portTokens } from "./port-cookie.ts";
import { type Exchange, relayRequest, relayUpgrade } from "./relay.ts";
import { type Owner, Tickets, type WebTarget } from "./tickets.ts";
import { domainFor, domainsOf, labelOf, parseWebName } from "./web-name.ts";

/** The only path of these host names that is not the program's. */
const OPEN_PATH = "/.mgr-open";
/** Time for the connection to the program, ms. */
const CONNECT_MS = 10_000;
/** Interval at which unused ports are closed, ms. */
const EXPIRY_INTERVAL_MS = 60_000;

const NOT_OPEN = refusal(
  401,
  "This port is not open in this browser, or no longer. Open it with the link 'open' among the ports of its process, on the page of the manager.",
);
const WRONG_TICKET = refusal(401, "This address was used already, or has expired. Open the port again from the page of the manager.");

export interface WebPortsSurroundings {
  readonly clock: Clock;
  readonly forwards: ManagerForwards;
  readonly hostEntries: () => readonly Pick<HostEntry, "name" | "all_names">[];
  /** Names of `instance.allowed_hosts`. */
  readonly allowedHosts: () => readonly string[];
}

/** A request for the host name of a port. */
interface WebVisit extends PublicName {
  readonly request: IncomingMessage;
  readonly remote: RemoteEnd;
  readonly target: WebTarget;
}

/** HTTP ports of hosts, which browsers open on host names of their own: nothing of the manager is served there, and no cookie of it is passed on. */
export class WebPorts implements Site {
  readonly #parts: WebPortsSurroundings;
  readonly #tickets: Tickets;
  readonly #grants: Grants;
  readonly close: () => void;

  constructor(parts: WebPortsSurroundings) {
    this.#parts = parts;
    const now = () => parts.clock.monotonic();
    this.#tickets = new Tickets(now);
    this.#grants = new Grants(parts.forwards, now);
    this.close = everyBeat(
      EXPIRY_INTERVAL_MS,
      () => {
        this.#tickets.expire();
        this.#grants.expire();
      },
      parts.clock,
    );
  }

  /** The end of the names of a host's ports behind `<port>-`, for a page with this Host header. Throws `not_found`, and `conflict`: there is none. */
  nameFor(page: string, host: string): { readonly host: string; readonly name: string } {
    const entry = this.#entry(host);
    if (entry === null) throw new MgrError("not_found", `there is no host '${host}'`);
    const domain = domainFor(page, domainsOf(this.#parts.allowedHosts()));
    if (domain === null)
      throw new MgrError(
        "conflict",
        "ports have no host name here: add a wildcard such as *.mgr.example to instance.allowed_hosts, or open the page as localhost",
      );
    const label = labelOf(entry);
    if (label === null)
      throw new MgrError(
        "conflict",
        `no name of host '${entry.name}' can be a part of a host name: add an alias of letters, digits and '-'`,
      );
    return { host: entry.name, name: `${label}.${domain}` };
  }

  /** The address at which a browser opens a port once, within 30 s. Throws as `nameFor` does, `forbidden` and `busy`. */
  ticket(
    owner: Owner,
    { page, host, port, scheme }: { page: string; host: string; port: number; scheme: PublicName["scheme"] },
    followers: Followers,
  ): string {
    const { host: canonical, name } = this.nameFor(page, host);
    this.#parts.forwards.checkAllowed(owner.principal, canonical, port);
    const target = { name: `${port}-${name}`, host: canonical, port };
    const token = this.#tickets.issue(owner, target, followers);
    return `${scheme}://${target.name}${OPEN_PATH}?ticket=${token}`;
  }

  serves(host: string): boolean {
    return parseWebName(host, domainsOf(this.#parts.allowedHosts())) !== null;
  }

  onRequest(request: IncomingMessage, response: ServerResponse, remote: RemoteEnd): void {
    this.#request(request, response, remote).catch((error: unknown) => refuse(response, forwardRefusal(error)));
  }

  onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, remote: RemoteEnd): void {
    this.#upgrade(request, socket, head, remote).catch((error: unknown) => refuseOnSocket(socket, forwardRefusal(error)));
  }

  async #request(request: IncomingMessage, response: ServerResponse, remote: RemoteEnd): Promise<void> {
    const visit = this.#visit(request, remote);
    const { pathname, searchParams } = new URL(`http://localhost${request.url ?? "/"}`);
    if (pathname === OPEN_PATH) return this.#open(visit, response, searchParams.get("ticket") ?? "");
    const grant = this.#grant(visit);
    if (grant === null) return refuse(response, NOT_OPEN);
    const exchange = await this.#exchange(visit, grant, response);
    if (exchange !== null) relayRequest(exchange, response);
  }

  async #upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, remote: RemoteEnd): Promise<void> {
    const visit = this.#visit(request, remote);
    const refused = upgradeRefusal(visit);
    if (refused !== null) return refuseOnSocket(socket, refused);
    const grant = this.#grant(visit);
    if (grant === null) return refuseOnSocket(socket, NOT_OPEN);
    const exchange = await this.#exchange(visit, grant, socket);
    if (exchange !== null) relayUpgrade(exchange, socket, head);
  }

  async #open(visit: WebVisit, response: ServerResponse, token: string): Promise<void> {
    if (visit.request.method !== "GET") return refuse(response, refusal(405, "Method not allowed.", { Allow: "GET" }));
    const ticket = this.#tickets.take(token, visit.target);
    if (ticket === null) return refuse(response, WRONG_TICKET);
    const grant = await this.#grants.open(ticket);
    refuse(response, refusal(303, "The port is open.", { Location: "/", "Set-Cookie": portCookie(grant.token, visit.scheme) }));
  }

  #grant({ request, scheme, target }: WebVisit): Grant | null {
    return this.#grants.find(portTokens(rawHeaders(request).get("cookie"), scheme), target);
  }

  /** Connects to the program; null: the client has gone meanwhile. */
  async #exchange(visit: WebVisit, grant: Grant, client: { readonly destroyed: boolean }): Promise<Exchange | null> {
    const { request, remote, scheme, host, target } = visit;
    const { port } = target;
    const { forward, owner } = grant;
    const connecting = this.#parts.forwards.connect(forward.options.id, owner.principal.user);
    const { stream } = await withTimeout(connecting, CONNECT_MS, () => {
      connecting.then((late) => late.stream.destroy()).catch(() => {});
      return new MgrError("timeout", `no connection to port ${port} of host '${target.host}' within ${CONNECT_MS / 1_000} s`);
    });
    if (client.destroyed) {
      stream.destroy();
      return null;
    }
    const channel = new CountedChannel(stream);
    forward.use(stream, channel);
    return {
      request,
      channel,
      headers: headersToProgram(request.rawHeaders, { scheme, host, port, ip: remote.ip, wantsBasic: grant.wantsBasic }),
      answerHeaders: (raw) => {
        const headers = headersFromProgram(raw, port, { scheme, host });
        if (headers.get("www-authenticate")?.some((value) => /\bbasic\b/i.test(value))) grant.wantsBasic = true;
        return headers;
      },
    };
  }

  /** Throws `not_found`. */
  #visit(request: IncomingMessage, remote: RemoteEnd): WebVisit {
    const headers = rawHeaders(request);
    const host = headers.get("host")?.toLowerCase() ?? "";
    const name = parseWebName(host, domainsOf(this.#parts.allowedHosts()));
    const entry = name === null ? null : this.#entry(name.host);
    if (name === null || entry === null) throw new MgrError("not_found", "there is no host of this name");
    const scheme = schemeOf(headers.get("x-forwarded-proto"), remote.isSecure);
    return { request, remote, scheme, host, target: { name: host, host: entry.name, port: name.port } };
  }

  #entry(name: string): Pick<HostEntry, "name" | "all_names"> | null {
    const plain = name.toLowerCase();
    return this.#parts.hostEntries().find(({ all_names }) => all_names.some((each) => each.toLowerCase() === plain)) ?? null;
  }
}

/** Pages of other host names may not open the WebSockets of a program: browsers would add its cookies. */
function upgradeRefusal({ request, scheme, host }: WebVisit): Refusal | null {
  const origin = rawHeaders(request).get("origin");
  if (origin === originOf({ scheme, host })) return null;
  return refusal(403, `A WebSocket of ${host} can be opened by its own pages only.`);
}
