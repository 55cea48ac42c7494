import { expect, test } from "vitest";
import { Conditions } from "../../../../src/app/conditions.ts";
import { watchDiskSpace } from "../../../../src/features/load-history/manager/disk-space.ts";
import type { LoadHistory } from "../../../../src/features/load-history/manager/load-history.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";

const GIB = 1024 ** 3;

test("a disk with little space is a condition until it has clearly more, and a host that does not answer changes nothing", async () => {
  const clock = new SimulatedClock();
  const conditions = new Conditions((error) => {
    throw error;
  });
  const changes: string[] = [];
  conditions.subscribe((change) =>
    changes.push(change.kind === "raised" ? change.condition.text : `${change.condition.host} ${change.end}`),
  );
  const free = new Map<string, number | null>([
    ["a", 0.5 * GIB],
    ["b", 5 * GIB],
  ]);
  const hostHistory = async ({ host }: { host: string }) => {
    const figure = free.get(host) ?? null;
    if (figure === null) throw new Error("away");
    return { host, start: "", step: 1, resolution: 1, oldest: null, series: { disk_free: { min: [], mean: [figure], max: [] } } };
  };
  const loads = { hostHistory } as unknown as Pick<LoadHistory, "hostHistory">;
  const stop = watchDiskSpace({ clock, conditions, hosts: free, loads, limit: () => GIB });
  await clock.settle();
  expect(changes).toEqual(["the disk of host a has less than 1 GiB free"]);

  free.set("a", null).set("b", 0.9 * GIB);
  await clock.advance(60_000);
  expect(changes.slice(1)).toEqual(["the disk of host b has less than 1 GiB free"]);
  free.set("a", 1.05 * GIB).set("b", 2 * GIB);
  await clock.advance(60_000);
  expect(changes.slice(2)).toEqual(["b recovered"]);
  free.delete("a");
  await clock.advance(60_000);
  expect(changes.slice(3)).toEqual(["a ended"]);

  stop();
  expect(clock.pending).toBe(0);
});
