import { z } from "zod";
import { runId, session } from "../../contract/fields.ts";
import { listPage } from "../../contract/pages.ts";
import { MAX_LISTED, MAX_NAMES, MAX_REPORTS } from "./limits.ts";
import { crashSummary } from "./report.ts";

const processName = z.string().max(1_024);
const list = z.object(listPage);

export const summaryPage = z.array(crashSummary);
/** A report is one JSON text, in parts that fit in a message. */
export const textPage = z.array(z.string());

export const CRASH_REPORT_REQUESTS = {
  /** The newest reports of the processes of these names, and of those that match the pattern, as `summaryPage`, newest first. */
  crash_reports: {
    request: z.object({
      session,
      names: z.array(processName).max(MAX_NAMES),
      pattern: z.string().max(1_024).nullable(),
      limit: z.int().min(1).max(MAX_LISTED),
    }),
    response: list,
  },
  /** One report, as `textPage`; null: the newest one of the process. An empty list: there is none. */
  crash_report: { request: z.object({ session, name: processName, run_id: runId.nullable() }), response: list },
  /** Null: all reports of the process. */
  delete_crash_reports: {
    request: z.object({ session, name: processName, run_ids: z.array(runId).max(MAX_REPORTS).nullable() }),
    response: z.object({ deleted: z.int().min(0) }),
  },
} as const;

/** A report was made, or its backtrace was added. */
export const CRASH_REPORT_NEWS = { crash_report: crashSummary } as const;

export const CRASH_RUN = {
  /** How the host recognizes a failure of the run, and what its report says about restarts. Omitted: only code 0 is a success. */
  crash: z
    .strictObject({
      success_exit_codes: z.array(z.int()),
      /** Null: there is no time limit, or no ready condition. */
      ready_timeout_ms: z.number().min(0).nullable(),
      restarts: z.int().min(0).nullable(),
    })
    .exactOptional(),
} as const;
