import { z } from "zod";
import { processName, timestamp } from "../../protocol/frames/field-kinds.ts";
import { clientFrames, managerFrames, result } from "../../protocol/frames/frame-table.ts";

const bytes = z.number().nullable();

export const memoryCommands = clientFrames("Load history", {
  request_memory_detail: {
    fields: { name: processName },
    answer: "memory_detail",
    scope: "name",
    role: "viewer",
    readOnly: true,
    meaning: "The memory of a process that runs, with shared pages counted once. Measured at most every 10 s.",
  },
});

export const memoryFrames = managerFrames("Load history", {
  memory_detail: result(
    { name: z.string() },
    {
      host: z.string(),
      ts: timestamp,
      pss: bytes.describe("Bytes: proportional set size. A page that n processes share counts 1/n for each; null: not known."),
      private: bytes.describe("Bytes of it that no other process has."),
      swap: bytes.describe("Proportional bytes in swap."),
      processes: z.int().describe("Processes of the tree that were measured."),
      unknown: z.int().describe("Processes that were not: those of other users, or too many."),
    },
    "Memory of the tree of a process.",
  ),
});
