import { OutputFilter } from "../../../base/patterns/output-filter.ts";
import { visible } from "../../../base/text/visible-text.ts";
import type { ManagerClient } from "../../../client/manager-client.ts";
import type { AnswerTo } from "../../../client/requests.ts";
import { CommandFailure, EXIT } from "../../command/exit-codes.ts";
import { withManager } from "../../manager/connection.ts";
import type { ConnectionFlags } from "../../manager/connection-target.ts";
import { processIn } from "../../manager/selectors.ts";
import { outputOfRun } from "./run-output.ts";

/** More than a host keeps by default. */
const MAX_LINES = 100_000;

interface RunLogFlags extends ConnectionFlags {
  run: number;
  lines?: number;
  raw?: boolean;
  /** Not possible with a run. */
  follow?: boolean;
  since?: number;
  timestamps?: boolean;
}

type Detail = AnswerTo<{ type: "request_process_detail"; name: string }>;

/** `mgr logs NAME --run N`: the output of one run of a process. */
export async function runLog(names: readonly string[], flags: RunLogFlags): Promise<void> {
  const { follow, since, timestamps, lines, raw, run } = flags;
  if (follow || since !== undefined || timestamps) throw usage("--run cannot be used with --follow, --since and --timestamps");
  await withManager(flags, async (client) => {
    const name = await nameOf(client, names);
    // First: the end of a run must not be older than the output.
    const output = await client.request({ type: "get_process_output", name, lines: MAX_LINES });
    const { history } = (await client.request({ type: "request_process_detail", name })) as Detail;
    const { text, isTruncated } = outputOfRun(output, { name, history, run });
    if (isTruncated)
      process.stderr.write(
        `mgr: the beginning of this run of '${visible(name)}' is no longer kept: set backlog or log_file to keep more\n`,
      );
    const shown = lines === undefined ? text : lastLines(text, lines);
    const filter = process.stdout.isTTY && !raw ? new OutputFilter() : null;
    process.stdout.write(filter === null ? shown : filter.write(shown) + filter.end());
  });
}

async function nameOf(client: ManagerClient, names: readonly string[]): Promise<string> {
  if (names.length === 0) throw usage("--run needs the name of a process");
  return processIn(await client.snapshot(), names, "--run needs one process, and these names match several").name;
}

function lastLines(text: string, count: number): string {
  const lines = text.split("\n");
  // A line end at the very end ends the last line.
  const isWhole = lines.at(-1) === "";
  return lines.slice(-count - (isWhole ? 1 : 0)).join("\n");
}

const usage = (message: string) => new CommandFailure(EXIT.usage, message);
