import { z } from "zod";
import { runId, session } from "../../contract/fields.ts";
import { listPage } from "../../contract/pages.ts";
import { runSettings } from "../../contract/run-settings.ts";
import { COMPARISONS, SETTING_GROUPS } from "./rows.ts";

/** Most characters of a value; of a longer one the beginning is sent. */
export const MAX_VALUE = 4_096;

const settingRow = z.object({
  group: z.enum(SETTING_GROUPS),
  name: z.string(),
  /** Null: it has none, or it cannot be read. */
  running: z.string().nullable(),
  /** The value of the next start; null: none. */
  configured: z.string().nullable(),
  comparison: z.enum(COMPARISONS),
  /** Why they differ, where that is known. */
  reason: z.string().nullable(),
});
export type SettingRow = z.infer<typeof settingRow>;
export const settingPage = z.array(settingRow);

export const RUNNING_SETTINGS_REQUESTS = {
  /**
   * Settings of the main process of a run, as `settingPage`, beside those with which `name` would be started now. Rejects with
   * `not_running` if the main process has ended.
   */
  running_settings: {
    request: z.object({ session, run_id: runId, name: z.string(), ...runSettings }),
    response: z.object({
      ...listPage,
      pid: z.number(),
      /** `cut`: only the first part of the environment was compared. `unreadable`: it belongs to another user. */
      environment: z.enum(["whole", "cut", "unreadable"]),
      /** Why the configured values could not be determined; null: they are there. */
      problem: z.string().nullable(),
    }),
  },
} as const;
