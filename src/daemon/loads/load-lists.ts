import type { Clock } from "../../base/timing/clock.ts";
import type { ResponseOf } from "../../contract/messages.ts";
import type { ListBuilder } from "../lists/list-builder.ts";
import type { TaskOwners } from "../tree/task-owners.ts";
import { machineCpuNow } from "./machine-cpu.ts";
import { type RunLoad, sumLoads, ticksToMs } from "./run-loads.ts";

interface LoadListOptions {
  readonly clock: Clock;
  readonly lists: ListBuilder;
  readonly owners: () => TaskOwners;
}

/** Lists CPU and memory of the managed process trees, with the CPU time of the whole machine. */
export function listLoads({ clock, lists, owners }: LoadListOptions): Promise<ResponseOf<"loads">> {
  return lists.run(async (work) => {
    const loads = new Map<string, RunLoad>();
    await work.run(sumLoads(owners(), loads));
    const time = clock.monotonic();
    const rows = lists.pages.open();
    for (const [name, { ticks, rssBytes, processes, age }] of loads)
      rows.add([name, ticksToMs(ticks), rssBytes, processes, ticksToMs(age)]);
    const machine = machineCpuNow();
    return { ...rows.end(), time, ...(machine === undefined ? {} : { machine }) };
  });
}
