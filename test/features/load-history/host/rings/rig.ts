import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HistoryFiles } from "../../../../../src/features/load-history/host/rings/history-files.ts";
import { LONG, PERIODS_MS, type RingNumber, SHORT } from "../../../../../src/features/load-history/host/rings/layout.ts";
import { SlotStore } from "../../../../../src/features/load-history/host/rings/slot-store.ts";
import { SimulatedClock } from "../../../../../src/testing/simulated-clock.ts";

export const SERIES = 8;
export const figuresOf = (number: number): Float32Array => new Float32Array(3 * SERIES).fill(number);

/** A folder with the files of a host, and what was logged. */
export class FilesRig implements Disposable {
  readonly root = mkdtempSync(join(tmpdir(), "mgr-load-history-"));
  readonly folder = join(this.root, "load-history");
  readonly clock = new SimulatedClock();
  readonly log: string[] = [];

  /** Files as a new daemon finds them. */
  async files(options: { maxBytes?: number; maxOpenFiles?: number; folder?: string } = {}): Promise<HistoryFiles> {
    const files = new HistoryFiles({
      folder: this.folder,
      clock: this.clock,
      log: (level, msg) => this.log.push(`${level}: ${msg}`),
      ...options,
    });
    await files.begin();
    return files;
  }

  /** Number of the slot that is now. */
  now(ring: RingNumber = SHORT): number {
    return Math.floor(this.clock.now() / PERIODS_MS[ring]);
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}

export const storeIn = (files: HistoryFiles, name: string): SlotStore =>
  new SlotStore({ name, series: SERIES, changed: (store) => files.changed(store) });

/** Numbers and first figures of a range, as an answer reads them. */
export async function slotsIn(files: HistoryFiles, store: SlotStore, ring: RingNumber, range: { from: number; until: number }) {
  const found = new Map<number, number | undefined>();
  await files.read(store.name, store.series, async (file) => {
    const pieces = (await file?.read(ring, range.from, range.until)) ?? [];
    for (const _ of store.visit(ring, range, pieces, (number, figures) => found.set(number, figures[0])));
  });
  return found;
}

export { LONG, SHORT };
