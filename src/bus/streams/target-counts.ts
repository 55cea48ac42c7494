import type { StreamEnd } from "./stream-end.ts";

/** Maximum number of targets; those without a connection are removed first. */
const MAX_TARGETS = 1_000;

interface TargetCount {
  /** Bytes of streams that have ended. */
  written: number;
  received: number;
  readonly open: Set<StreamEnd>;
}

/** Bytes of the streams of one side, by the target of their connections. */
export class TargetCounts {
  readonly #targets = new Map<string, TargetCount>();

  follow(target: string, end: StreamEnd): void {
    const count = this.#targets.get(target) ?? { written: 0, received: 0, open: new Set() };
    this.#targets.set(target, count);
    count.open.add(end);
    end.once("close", () => {
      count.open.delete(end);
      const { written, received } = end.counts;
      count.written += written;
      count.received += received;
    });
    for (const [old, { open }] of this.#targets) {
      if (this.#targets.size <= MAX_TARGETS) break;
      if (open.size === 0) this.#targets.delete(old);
    }
  }

  /** For each target, bytes written to its streams and received from them so far. */
  totals(): { target: string; written: number; received: number }[] {
    return [...this.#targets].map(([target, { open, ...ended }]) => {
      const sum = { target, ...ended };
      for (const end of open) {
        sum.written += end.counts.written;
        sum.received += end.counts.received;
      }
      return sum;
    });
  }
}

/** `127.0.0.1:5905`, `[::1]:80` */
export function targetText(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
