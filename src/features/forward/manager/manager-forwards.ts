import { randomBytes } from "node:crypto";
import type { Duplex } from "node:stream";
import type { ManagerCore } from "../../../app/feature.ts";
import { generalRole, includesRole } from "../../../base/access/access.ts";
import type { Principal } from "../../../base/access/principal.ts";
import { MgrError, messageOf, wireCode } from "../../../base/errors.ts";
import { formatTime } from "../../../protocol/time.ts";
import { MANAGER_ENDS } from "../forward-socket.ts";
import { EVERY_PORT, includesPort, type PortRange } from "../port-ranges.ts";
import type { Forward } from "../wire.ts";
import type { Forwards } from "./forwards.ts";
import { type OnForwardClose, OpenForward } from "./open-forward.ts";

/** Maximum number of forwards of one user, and of all users. */
const MAX_FORWARDS_PER_USER = 16;
const MAX_FORWARDS = 64;
/** Maximum number of open connections of all forwards. */
const MAX_CONNECTIONS = 192;
/** An id is no secret: connections need the login of their user. */
const ID_BYTES = 6;
/** The loopback interface, by its addresses: the name `localhost` may mean another one in a host's /etc/hosts. */
const LOOPBACK = ["127.0.0.1", "::1"];

/** The parts of the manager that forwards use. */
export interface ForwardSurroundings extends Pick<ManagerCore, "clock" | "hostName" | "observe"> {
  readonly log: Pick<ManagerCore["log"], "info" | "warn">;
  readonly named: Pick<ManagerCore["named"], "canonical" | "openTcp">;
  readonly isReady: (host: string) => boolean;
  /** Ports that operators may reach, by names of hosts. */
  readonly allowed: () => ReadonlyMap<string, readonly PortRange[]>;
}

/** The forwards of this manager: of the command `mgr forward`, which end with its WebSocket, and of ports that were opened from the page. */
export class ManagerForwards implements Forwards {
  readonly #core: ForwardSurroundings;
  readonly #open = new Map<string, OpenForward>();

  constructor(core: ForwardSurroundings) {
    this.#core = core;
  }

  list(): Forward[] {
    return [...this.#open.values()].map((forward) => {
      const { id, owner, host, port, openedAt } = forward.options;
      return {
        id,
        user: owner.user,
        address: owner.address === "" ? null : owner.address,
        host,
        port,
        opened: formatTime(openedAt),
        host_ready: this.#core.isReady(host),
        ...forward.counts,
        problem: forward.problem,
      };
    });
  }

  /**
   * Opens a forward to a port of a host. Rejects with `not_found`, `forbidden`, `busy`, and as the observers of commands refuse it. `onClose` is called once,
   * with the reason.
   */
  async open(owner: Principal, { host, port }: { host: string; port: number }, onClose: OnForwardClose): Promise<OpenForward> {
    const end = await this.#core.observe({ name: "open_forward", by: owner.user, sender: owner, target: `${host}:${port}` });
    try {
      const canonical = this.#canonical(host);
      this.checkAllowed(owner, canonical, port);
      this.#checkRoom(owner);
      const forward = this.#add(owner, canonical, port, onClose);
      end({ ok: true });
      return forward;
    } catch (error) {
      end({ ok: false, code: wireCode(error), message: messageOf(error) });
      throw error;
    }
  }

  /** Opens a connection of a forward of the user. Rejects with `not_found`, `busy`, and with the reason of the host. */
  async connect(id: string, user: string): Promise<{ forward: OpenForward; stream: Duplex }> {
    const forward = this.#open.get(id);
    if (forward === undefined || forward.options.owner.user !== user) throw new MgrError("not_found", "there is no forward with this id");
    const total = [...this.#open.values()].reduce((sum, { size }) => sum + size, 0);
    if (total >= MAX_CONNECTIONS) throw new MgrError("busy", `all forwards have ${MAX_CONNECTIONS} open connections; close some of them`);
    return { forward, stream: await forward.connect() };
  }

  close(id: string, by: Principal): void {
    const forward = this.#open.get(id);
    if (forward === undefined) return;
    if (forward.options.owner.user !== by.user && !isAdmin(by))
      throw new MgrError(
        "forbidden",
        `the forward belongs to '${forward.options.owner.user}'; closing it needs the role admin on everything`,
      );
    forward.close(`it was closed by '${by.user}'`);
  }

  /** Closes forwards to ports that are not allowed any more. */
  reconfigure(): void {
    for (const forward of this.#open.values()) {
      const { owner, host, port } = forward.options;
      if (!this.#mayReach(owner, host, port)) forward.close("the configuration does not allow this port any more");
    }
  }

  closeAll(): void {
    for (const forward of this.#open.values()) forward.close("the manager ends", MANAGER_ENDS);
  }

  #add(owner: Principal, host: string, port: number, onClose: OnForwardClose): OpenForward {
    const id = randomBytes(ID_BYTES).toString("hex");
    const { clock, log } = this.#core;
    const forward = new OpenForward({
      id,
      owner,
      host,
      port,
      openedAt: clock.now(),
      connect: () => this.#connect(host, port),
      onClose: (reason, code) => {
        this.#open.delete(id);
        this.#recordEnd(forward, reason);
        onClose(reason, code);
      },
    });
    this.#open.set(id, forward);
    log.info(`'${owner.user}' opened a forward to port ${port} of host '${host}'`);
    return forward;
  }

  #recordEnd({ options: { owner, host, port }, counts }: OpenForward, reason: string): void {
    const { log, observe } = this.#core;
    const { total_connections: connections, received, sent } = counts;
    log.info(
      `the forward of '${owner.user}' to port ${port} of host '${host}' ended after ${connections} connections, ${received} bytes received and ${sent} sent: ${reason}`,
    );
    const args = { connections, received, sent, reason };
    observe({ name: "forward_ended", by: owner.user, sender: owner, target: `${host}:${port}`, args }).then(
      (end) => end({ ok: true }),
      (error: unknown) => log.warn(`the end of a forward was not recorded: ${messageOf(error)}`),
    );
  }

  /** Connects to the port on the loopback interface of the host; IPv6 is tried if no program listens on IPv4. */
  async #connect(host: string, port: number): Promise<Duplex> {
    const [first = "", ...others] = LOOPBACK;
    const { named } = this.#core;
    try {
      return await named.openTcp(host, { host: first, port });
    } catch (error) {
      if (!(error instanceof MgrError) || error.code !== "conflict") throw error;
      for (const address of others) {
        const stream = await named.openTcp(host, { host: address, port }).catch(() => null);
        if (stream !== null) return stream;
      }
      throw error;
    }
  }

  /** Ports of a host, by its canonical name, that a user may reach. */
  reachable({ grants }: Pick<Principal, "grants">, host: string): readonly PortRange[] {
    if (isAdmin({ grants })) return [EVERY_PORT];
    if (!includesRole(generalRole(grants), "operator")) return [];
    return [...this.#core.allowed()].flatMap(([name, ranges]) => (this.#isHost(name, host) ? ranges : []));
  }

  #canonical(host: string): string {
    const { named, hostName } = this.#core;
    return host === "localhost" ? hostName : named.canonical(host);
  }

  /** Throws `forbidden`. `host`: its canonical name. */
  checkAllowed(owner: Principal, host: string, port: number): void {
    if (this.#mayReach(owner, host, port)) return;
    const needs = `a forward to port ${port} of host '${host}' needs the role admin on everything`;
    throw new MgrError("forbidden", `${needs}, or the role operator and the port below 'forward' of the configuration (docs/forward.md)`);
  }

  #checkRoom({ user }: Principal): void {
    const open = [...this.#open.values()];
    if (open.length >= MAX_FORWARDS) throw new MgrError("busy", `the manager has ${MAX_FORWARDS} forwards; close one of them`);
    if (open.filter(({ options }) => options.owner.user === user).length >= MAX_FORWARDS_PER_USER)
      throw new MgrError("busy", `'${user}' has ${MAX_FORWARDS_PER_USER} forwards; close one of them`);
  }

  #mayReach(owner: Principal, host: string, port: number): boolean {
    return includesPort(this.reachable(owner, host), port);
  }

  #isHost(name: string, host: string): boolean {
    try {
      return this.#canonical(name) === host;
    } catch {
      return false; // A reload may have removed the host.
    }
  }
}

function isAdmin({ grants }: Pick<Principal, "grants">): boolean {
  return includesRole(generalRole(grants), "admin");
}
