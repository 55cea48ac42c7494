import type { Socket } from "node:net";
import { type DescriptorBudget, descriptorBudget } from "../../bus/carriers/descriptor-budget.ts";
import type { PeerTrafficBook, TrafficLabel } from "../../bus/carriers/peer-traffic.ts";
import { addressKey, isLoopback, remoteEnd } from "../request/remote-end.ts";

export interface ConnectionLimits {
  /** Maximum number of connections; fewer if the limit of open files does not allow them. */
  readonly total: number;
  /** Maximum number from one address (an IPv6 /64); loopback is exempt: a proxy in front serves many clients. */
  readonly perAddress: number;
}

/**
 * `opening`: no complete request yet. `idle`: kept alive between requests. `busy`: a request or WebSocket is being served. Connections that
 * are not busy are closed if new ones need room.
 */
type Phase = "opening" | "idle" | "busy";

interface ConnectionsOptions {
  readonly budget?: DescriptorBudget;
  readonly book?: PeerTrafficBook | null;
}

/** The connections of the port. If there are too many, it selects those to close. */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #budget: DescriptorBudget;
  /** Counts the bytes of each connection. */
  readonly #book: PeerTrafficBook | null;
  /** Connections by phase, in order of entering it. */
  readonly #phases: Record<Phase, Set<Socket>> = { opening: new Set(), idle: new Set(), busy: new Set() };
  readonly #addresses = new Map<string, number>();
  readonly #keys = new Map<Socket, string>();
  /** Connections that were closed or refused because of the limits. */
  turnedAway = 0;
  /** Bytes of closed connections. */
  readonly #past = { received: 0, sent: 0 };

  constructor({ total, perAddress }: ConnectionLimits, { budget = descriptorBudget, book = null }: ConnectionsOptions = {}) {
    this.#limits = { total: budget.partOf(total), perAddress };
    this.#budget = budget;
    this.#book = book;
  }

  get size(): number {
    return this.#keys.size;
  }

  countOf(phase: Phase): number {
    return this.#phases[phase].size;
  }

  /** Bytes of all connections since the start, TLS and WebSockets included. */
  traffic(): { received: number; sent: number } {
    let { received, sent } = this.#past;
    for (const socket of this.#keys.keys()) {
      received += socket.bytesRead;
      sent += socket.bytesWritten;
    }
    return { received, sent };
  }

  /** Accepts a new connection. If there is no room, the longest unused one is closed; false: all are busy. */
  admit(socket: Socket): boolean {
    const remote = remoteEnd(socket);
    const key = isLoopback(remote) ? "" : addressKey(remote);
    if (key !== "" && (this.#addresses.get(key) ?? 0) >= this.#limits.perAddress && !this.#makeRoom(key)) return false;
    if (!this.#accept(socket) && !(this.#makeRoom(null) && this.#accept(socket))) return false;
    this.#keys.set(socket, key);
    this.#addresses.set(key, (this.#addresses.get(key) ?? 0) + 1);
    this.#phases.opening.add(socket);
    socket.once("close", () => this.#forget(socket));
    this.#book?.follow(socket, { kind: "web", name: "http" });
    return true;
  }

  /** Sets the label of the traffic that the connection carries from now on. */
  label(socket: Socket, label: TrafficLabel): void {
    if (this.#keys.has(socket)) this.#book?.follow(socket, label);
  }

  enter(socket: Socket, phase: Phase): void {
    if (!this.#keys.has(socket)) return;
    for (const set of Object.values(this.#phases)) set.delete(socket);
    this.#phases[phase].add(socket);
  }

  isOpening(socket: Socket): boolean {
    return this.#phases.opening.has(socket);
  }

  destroyOpening(): void {
    for (const socket of this.#phases.opening) socket.destroy();
  }

  destroyAll(): void {
    for (const socket of this.#keys.keys()) socket.destroy();
  }

  #accept(socket: Socket): boolean {
    return this.size < this.#limits.total && this.#budget.acquire(socket, "client");
  }

  /** Closes an unused connection of one address, or of any (null). */
  #makeRoom(key: string | null): boolean {
    for (const phase of ["opening", "idle"] as const) {
      for (const socket of this.#phases[phase]) {
        if (key !== null && this.#keys.get(socket) !== key) continue;
        this.turnedAway++;
        this.#forget(socket);
        this.#budget.release(socket);
        socket.destroy();
        return true;
      }
    }
    this.turnedAway++;
    return false;
  }

  #forget(socket: Socket): void {
    const key = this.#keys.get(socket);
    if (key === undefined) return;
    this.#keys.delete(socket);
    this.#past.received += socket.bytesRead;
    this.#past.sent += socket.bytesWritten;
    for (const set of Object.values(this.#phases)) set.delete(socket);
    const left = (this.#addresses.get(key) ?? 1) - 1;
    if (left > 0) this.#addresses.set(key, left);
    else this.#addresses.delete(key);
  }
}
