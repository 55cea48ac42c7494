import { closeSync, openSync, readFileSync } from "node:fs";

/** Number of descriptors that client connections cannot use: files, children, the daemon and local commands need them. */
const RESERVE = 128;
/** Maximum number of connections that are being refused with an answer at the same time. Further ones are closed without one. */
const MAX_REFUSALS = 64;
/** Maximum number of connections over unix sockets: the daemon's and those of local commands. */
const MAX_LOCAL = 1_024;
/** Number of TCP listeners: the one port and the bus port, each with its own share. */
const MAX_TCP_LISTENERS = 2;

/** `client`: over TCP, which every user of the machine may open. `local`: over a unix socket of this process's user. */
type Use = "client" | "refusal" | "local";

/** Something that holds one descriptor until it is closed. */
interface Held {
  once(event: "close", listener: () => void): unknown;
}

/**
 * Shares the file descriptors of this process among its listeners. They all use the same budget because the limit applies to the process:
 * without free descriptors even reading /proc fails.
 */
export class DescriptorBudget {
  readonly #held: Record<Use, Set<Held>> = { client: new Set(), refusal: new Set(), local: new Set() };
  readonly #most: Record<Use, number>;
  /** Descriptors from this number on are not used for clients, so that some stay free even if the rest of the reserve is in use. */
  readonly #ceiling: number;

  /** `limit`: the soft limit of open files. */
  constructor(limit: number) {
    const reserve = Math.min(RESERVE, Math.ceil(limit / 2));
    const local = Math.min(MAX_LOCAL, Math.floor(limit / 8));
    const refusal = Math.min(MAX_REFUSALS, Math.floor(limit / 16));
    this.#most = { client: limit - reserve - local - refusal, refusal, local };
    this.#ceiling = limit - Math.floor(reserve / 4);
  }

  /** The number of connections that one listener may have: `wanted`, or its share if that is less. */
  partOf(wanted: number): number {
    return Math.min(wanted, Math.floor(this.#most.client / MAX_TCP_LISTENERS));
  }

  /** Counts `held` until it closes. Returns false if there is no room; the caller then closes it. */
  acquire(held: Held, use: Use): boolean {
    const all = this.#held[use];
    if (all.size >= this.#most[use] || (use !== "local" && this.#isShort())) return false;
    all.add(held);
    held.once("close", () => all.delete(held));
    return true;
  }

  /**
   * Whether a process may be started whose terminal has this descriptor: enough descriptors must stay free to supervise running processes.
   */
  allowsStart(descriptor: number): boolean {
    return descriptor < this.#ceiling;
  }

  /** Releases a connection that is closed in this turn: its descriptor is free before its `close` event. */
  release(held: Held): void {
    for (const all of Object.values(this.#held)) all.delete(held);
  }

  /** Whether free descriptors are short. The kernel assigns the lowest free number, so all numbers below it are in use. */
  #isShort(): boolean {
    if (this.#ceiling === Number.POSITIVE_INFINITY) return false;
    try {
      const lowest = openSync("/dev/null", "r");
      closeSync(lowest);
      return lowest >= this.#ceiling;
    } catch {
      return true;
    }
  }
}

/** The budget of this process. Node raises the soft limit to the hard limit at startup. */
export const descriptorBudget = new DescriptorBudget(openFilesLimit());

function openFilesLimit(): number {
  try {
    const match = /^Max open files\s+(\d+|unlimited)/m.exec(readFileSync("/proc/self/limits", "utf8"));
    return match?.[1] === undefined || match[1] === "unlimited" ? Number.POSITIVE_INFINITY : Number(match[1]);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
