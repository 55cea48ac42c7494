import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { SeriesHistory } from "../../../../../src/features/load-history/host/rings/series-history.ts";
import { SlotStore } from "../../../../../src/features/load-history/host/rings/slot-store.ts";
import { PROCESS_SERIES } from "../../../../../src/features/load-history/series.ts";

const HISTORIES = 200;
const MAX_BYTES = 24 * 1024;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

function used(): number {
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

test.each([
  ["whose disk takes nothing", () => undefined],
  ["of a host without folder", null],
])("a watched process %s takes at most 24 KiB of memory, however long it runs", (_which, changed) => {
  const figures = PROCESS_SERIES.map((_, at) => at);
  const before = used();
  const histories = Array.from({ length: HISTORIES }, (_, index) => {
    const history = new SeriesHistory(new SlotStore({ name: `p${index}`, series: PROCESS_SERIES.length, changed }), changed === null);
    history.watch(true);
    for (let from = 1e12; from < 1e12 + 20_000_000; from += 10_000) history.add(figures, { from, to: from + 10_000 });
    for (let from = 1e12 + 20_000_000; from < 1e12 + 20_700_000; from += 1_000) history.add(figures, { from, to: from + 1_000 });
    return history;
  });
  const each = (used() - before) / HISTORIES;
  expect(each).toBeLessThan(MAX_BYTES);
  expect(histories).toHaveLength(HISTORIES);
});
