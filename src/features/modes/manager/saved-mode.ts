import { z } from "zod";
import type { JsonFile, StateFiles } from "../../../app/state/state-files.ts";

/** The mode that was switched to last, for the next manager. */
const savedMode = z.object({
  name: z.string(),
  /** Unix milliseconds. */
  since: z.number(),
  by: z.string(),
  /** Whether the switch had not ended: the next manager begins it again. */
  pending: z.boolean(),
  failed: z.string().nullable(),
  problems: z.array(z.string()),
});
export type SavedMode = z.infer<typeof savedMode>;
const savedModes = z.object({ active: savedMode.nullable() });
export type ModeFile = JsonFile<z.infer<typeof savedModes>>;

const EMPTY = { active: null };
export const noModeFile: ModeFile = { content: EMPTY, save: () => Promise.resolve() };

/** `modes.json` in the state folder. */
export function openModeFile(files: StateFiles, warn: (msg: string) => void): ModeFile {
  return files.json("modes.json", {
    schema: savedModes,
    empty: EMPTY,
    lost: "no mode is active until one is switched to",
    unsaved: "the active mode could not be saved, a restart would forget it",
    warn,
  });
}
