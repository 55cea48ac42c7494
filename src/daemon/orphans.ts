import type { ChildProcess } from "node:child_process";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { isOwnChild } from "./child.ts";
import { reapOrphan } from "./native.ts";
import { ownChildren, type ProcessStat, readStat } from "./proc.ts";

/**
 * The orphans that came to us because we are their subreaper: children that neither Node nor we have started. Whoever
 * started a child waits for it, and Node for no others, so the zombies of orphans are taken away here, and only those.
 */
export class Orphans {
  readonly #started = new Set<ChildProcess>();
  /** Children from before we began to look; whose they are we cannot know. */
  readonly #earlier: Set<number>;
  readonly #onChild = (message: unknown) => {
    this.#started.add((message as { process: ChildProcess }).process);
  };

  constructor() {
    this.#earlier = new Set(ownChildren() ?? []);
    subscribe("child_process", this.#onChild);
  }

  close(): void {
    unsubscribe("child_process", this.#onChild);
  }

  /** Takes zombies away and returns the living orphans; null where the kernel does not list children. */
  collect(): ProcessStat[] | null {
    // The kernel's list may skip one while another ends (proc(5), "children"): what either of two looks shows is there.
    const first = this.#look();
    const second = this.#look();
    if (first === null || second === null) return null;
    const living = new Map([...first, ...second].map((stat) => [stat.pid, stat]));
    for (const [pid, stat] of living) {
      if (stat.ended && reapOrphan(pid)) living.delete(pid);
    }
    return [...living.values()].filter((stat) => !stat.ended);
  }

  isOrphan(stat: ProcessStat): boolean {
    return stat.ppid === process.pid && !this.#earlier.has(stat.pid) && !isOwnChild(stat.pid) && !this.#nodeChildren().has(stat.pid);
  }

  #look(): ProcessStat[] | null {
    const children = ownChildren();
    if (children === null) return null;
    const known = this.#nodeChildren();
    const orphans: ProcessStat[] = [];
    for (const pid of children) {
      if (known.has(pid) || this.#earlier.has(pid) || isOwnChild(pid)) continue;
      const stat = readStat(pid);
      if (stat?.ppid === process.pid) orphans.push(stat);
    }
    return orphans;
  }

  /** Pids of Node's children whose exit it has not yet seen. */
  #nodeChildren(): Set<number> {
    const pids = new Set<number>();
    for (const child of this.#started) {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) this.#started.delete(child);
      else pids.add(child.pid);
    }
    return pids;
  }
}
