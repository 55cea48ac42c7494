import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { withManager } from "../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import { printJson } from "../../../cli/output/table.ts";
import { analysisText } from "./analysis-text.ts";

export interface AnalyzeFlags extends ConnectionFlags {
  /** Number of processes in the list of the longest ones. */
  limit: number;
  json?: boolean;
}

/** `mgr analyze [NAME]`: the last start. */
export async function analyze(name: string | undefined, flags: AnalyzeFlags): Promise<void> {
  await withManager(flags, async (client) => {
    const {
      type: _type,
      request_id: _id,
      ...analysis
    } = await client.request({
      type: "request_start_analysis",
      ...(name === undefined ? {} : { name }),
    });
    if (flags.json) printJson(analysis);
    else if (analysis.processes.length === 0)
      throw new CommandFailure(
        EXIT.notFound,
        `no start of ${name ?? "any process"} is known: this manager has started none; those that run were started by an earlier one`,
      );
    else process.stdout.write(`${analysisText(analysis, { now: Date.now(), limit: flags.limit })}\n`);
  });
}
