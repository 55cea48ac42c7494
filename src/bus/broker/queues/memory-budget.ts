import { totalmem } from "node:os";
import { ThrottledWarning, type WarningLog } from "../../../base/throttled-warning.ts";

/** Default limit: this share of the machine's memory, and at most this many bytes. */
const SHARE_OF_MEMORY = 1 / 8;
const MAX_DEFAULT_BYTES = 1024 * 1024 * 1024;
/** When memory is used up, this share of it is freed at once, so that the search for the largest owner is rare. */
const FREED_SHARE = 1 / 64;
/** Maximum number of pieces that one holder frees before the largest owner is searched again. */
const MAX_FREED_AT_ONCE = 64;

export function defaultMemoryBytes(): number {
  return Math.min(MAX_DEFAULT_BYTES, Math.floor(totalmem() * SHARE_OF_MEMORY));
}

/** A part of the memory that the budget covers, such as the queue of a subscriber. */
export interface MemoryHolder {
  /** Owner of the memory: a program with several connections is one owner. */
  readonly owner: string;
  /** Approximate size. */
  readonly bytes: number;
  /** Frees its oldest piece; false: it can free nothing. */
  free(): boolean;
}

/** Number of pieces that an owner has lost because memory was used up. */
export interface MemoryLoss {
  readonly owner: string;
  readonly pieces: number;
}

/** Maximum number of owners whose losses are counted individually. */
const MAX_OWNERS = 1_000;

/**
 * The memory of one daemon for queues, kept messages and rings of loggers. When it is used up, the owner that uses most loses its oldest
 * pieces first.
 */
export class MemoryBudget {
  used = 0;
  readonly #holders = new Set<MemoryHolder>();
  readonly #lost = new Map<string, number>();
  readonly #warning: ThrottledWarning;
  #limit: number;
  #isFreeing = false;

  constructor(log: WarningLog = () => {}, limit = defaultMemoryBytes()) {
    this.#warning = new ThrottledWarning(log);
    this.#limit = limit;
  }

  get limit(): number {
    return this.#limit;
  }

  set limit(bytes: number) {
    this.#limit = bytes;
    this.grow(0);
  }

  get losses(): MemoryLoss[] {
    return [...this.#lost].map(([owner, pieces]) => ({ owner, pieces }));
  }

  add(holder: MemoryHolder): void {
    this.#holders.add(holder);
  }

  /** Removes a holder, which has subtracted its bytes with `grow` before. */
  remove(holder: MemoryHolder): void {
    this.#holders.delete(holder);
  }

  /** Called when a holder uses this number of bytes more, or fewer. Any holder may lose pieces within this call. */
  grow(bytes: number): void {
    this.used += bytes;
    if (this.used <= this.#limit || this.#isFreeing) return;
    this.#isFreeing = true;
    this.#makeRoom();
    this.#isFreeing = false;
  }

  #makeRoom(): void {
    const goal = this.#limit * (1 - FREED_SHARE);
    const stuck = new Set<MemoryHolder>();
    while (this.used > goal) {
      const greediest = this.#greediest(stuck);
      if (greediest === null) return;
      let freed = 0;
      while (freed < MAX_FREED_AT_ONCE && this.used > goal && greediest.free()) freed++;
      if (freed === 0) stuck.add(greediest);
      else this.#count(greediest.owner, freed);
    }
  }

  /** The largest holder of the owner that uses most. */
  #greediest(stuck: ReadonlySet<MemoryHolder>): MemoryHolder | null {
    const owners = new Map<string, { bytes: number; largest: MemoryHolder }>();
    for (const holder of this.#holders) {
      if (holder.bytes === 0 || stuck.has(holder)) continue;
      const known = owners.get(holder.owner);
      if (known === undefined) owners.set(holder.owner, { bytes: holder.bytes, largest: holder });
      else {
        known.bytes += holder.bytes;
        if (holder.bytes > known.largest.bytes) known.largest = holder;
      }
    }
    let greediest: { bytes: number; largest: MemoryHolder } | null = null;
    for (const owner of owners.values()) if (greediest === null || owner.bytes > greediest.bytes) greediest = owner;
    return greediest?.largest ?? null;
  }

  #count(owner: string, pieces: number): void {
    const known = this.#lost.get(owner);
    if (known !== undefined || this.#lost.size < MAX_OWNERS) this.#lost.set(owner, (known ?? 0) + pieces);
    const limit = Math.round(this.#limit / 1024 / 1024);
    this.#warning.warn(
      `the memory for messages (${limit} MiB) is used up: ${owner} uses most and loses its oldest; raise instance.bus_memory, or make it read faster`,
    );
  }
}
