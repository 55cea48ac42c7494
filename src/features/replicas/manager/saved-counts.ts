import { z } from "zod";
import type { JsonFile, StateFiles } from "../../../app/state/state-files.ts";

const savedCount = z.object({
  name: z.string(),
  /** The number in the file when the other one was set. */
  configured: z.int(),
  count: z.int(),
});
const savedCounts = z.object({ replicas: z.array(savedCount) });
export type SavedCount = z.infer<typeof savedCount>;
export type CountsFile = JsonFile<z.infer<typeof savedCounts>>;

const EMPTY = { replicas: [] };
export const noCountsFile: CountsFile = { content: EMPTY, save: () => Promise.resolve() };

/** `replicas.json` in the state folder. */
export function openCountsFile(files: StateFiles, warn: (msg: string) => void): CountsFile {
  return files.json("replicas.json", {
    schema: savedCounts,
    empty: EMPTY,
    lost: "processes have as many replicas as the configuration says",
    unsaved: "the numbers of replicas could not be saved, a restart would forget the newest",
    warn,
  });
}
