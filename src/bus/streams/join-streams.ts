import type { Duplex } from "node:stream";

/** Copies in both directions, each only as fast as it is read. The two directions end separately; an error of one stream closes both. */
export function joinStreams(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on("error", () => to.destroy());
    from.once("close", () => {
      if (!from.readableEnded || !to.readableEnded) to.destroy();
    });
    from.pipe(to);
  }
}
