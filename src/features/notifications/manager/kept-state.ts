import { z } from "zod";
import type { JsonFile, StateFiles } from "../../../app/state/state-files.ts";
import { delivery, silence } from "../notification.ts";

const condition = z.object({
  kind: z.string(),
  process: z.string().nullable(),
  host: z.string().nullable(),
  key: z.string().exactOptional(),
  text: z.string(),
});
/** A condition that waits in a batch of a rule or was notified. Times are of the wall clock. */
const tracked = z.object({
  rule: z.string(),
  id: z.string(),
  condition,
  since: z.number(),
  phase: z.enum(["batched", "notified"]),
  at: z.number(),
  was_notified: z.boolean(),
});
const entry = z.object({
  rule: z.string(),
  id: z.string(),
  condition,
  status: z.enum(["raised", "lasting", "recovered", "ended"]),
  since: z.number(),
  until: z.number().nullable(),
  times: z.int(),
});
const keptState = z.object({
  tracked: z.array(tracked),
  entries: z.array(entry),
  waiting: z.array(delivery),
  history: z.array(delivery),
  silences: z.array(silence),
});
export type KeptState = z.infer<typeof keptState>;
/** The state for the next manager, in one file: a condition is notified and its delivery is there, or neither. */
export type KeptFile = JsonFile<KeptState>;

const EMPTY: KeptState = { tracked: [], entries: [], waiting: [], history: [], silences: [] };
export const noKeptFile: KeptFile = { content: EMPTY, save: () => Promise.resolve() };

/** `notifications.json` in the state folder. */
export function openKeptFile(files: StateFiles, warn: (msg: string) => void): KeptFile {
  return files.json("notifications.json", {
    schema: keptState,
    empty: EMPTY,
    lost: "notifications that were waiting, their history and silences are lost",
    unsaved: "notifications could not be saved, a restart would forget the newest",
    warn,
  });
}
