import { withManager } from "../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import { find } from "../../../cli/manager/select.ts";
import { printJson } from "../../../cli/output/table.ts";
import type { AnswerTo } from "../../../client/requests.ts";
import { type ShownRun, shownRuns } from "../../../client/shown/run-list.ts";
import { formatTime } from "../../../protocol/time.ts";
import { runsText } from "./runs-text.ts";

export interface RunsFlags extends ConnectionFlags {
  json?: boolean;
}

type Detail = AnswerTo<{ type: "request_process_detail"; name: string }>;

/** `mgr runs NAME`: the last runs of a process. */
export async function runs(name: string, flags: RunsFlags): Promise<void> {
  await withManager(flags, async (client) => {
    const { processes } = await client.snapshot();
    find(processes, name, { word: "process", list: "mgr ps" });
    const detail = (await client.request({ type: "request_process_detail", name })) as Detail;
    const listed = shownRuns(detail, formatTime(Date.now()));
    if (flags.json) printJson(listed.map(jsonOf));
    else if (listed.length === 0) process.stderr.write("mgr: it has not run yet\n");
    else process.stdout.write(`${runsText(listed)}\n`);
  });
}

function jsonOf({ run, lengthMs, outputBytes, end, next }: ShownRun): object {
  const { output_end: _, ...fields } = run;
  return { ...fields, seconds: lengthMs === null ? null : lengthMs / 1_000, output_bytes: outputBytes, cause: end, next };
}
