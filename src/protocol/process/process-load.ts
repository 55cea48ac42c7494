import { z } from "zod";
import { objectName } from "../frames/field-kinds.ts";
import { answer, clientFrames, managerFrames } from "../frames/frame-table.ts";

const processLoad = z
  .object({
    name: z.string(),
    cpu_percent: z.number().describe("Of one CPU, since the last sample; of a run that began later, over its life."),
    memory_rss: z.int().describe("Resident memory, bytes. Pages that processes share count in each."),
    processes: z.int().describe("Living processes of its tree."),
  })
  .meta({ id: "ProcessLoad", description: "What a process uses, with everything that it has started." });
export type ProcessLoad = z.infer<typeof processLoad>;

const hostLoad = z
  .object({
    host: z.string(),
    cpu_percent: z.number().describe("Of all its CPUs, from 0 to 100, since the last sample."),
    cpus: z.int().describe("Number of its CPUs."),
  })
  .meta({ id: "HostLoad", description: "What everything that runs on a machine uses, managed or not." });
export type HostLoad = z.infer<typeof hostLoad>;

export const loadCommands = clientFrames("Processes", {
  request_process_loads: {
    fields: { name: objectName.describe("A process or a group; default all.").exactOptional() },
    answer: "process_loads",
    scope: "name",
    role: "viewer",
    readOnly: true,
    meaning:
      "CPU and memory of the running processes, sampled now. Requests within half a second share a sample; nothing is sampled unasked.",
  },
});

export const loadFrames = managerFrames("Processes", {
  process_loads: answer(
    {
      loads: z.array(processLoad),
      hosts: z.array(hostLoad).describe("Each machine that was sampled before, at most a minute ago, whatever 'name' is."),
    },
    "One entry for each process that runs, on the hosts that can be reached.",
  ),
});
