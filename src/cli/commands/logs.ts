import { visible } from "../../base/visible-text.ts";
import { OutputJoin } from "../../client/output-join.ts";
import { CommandFailure, EXIT } from "../exit-codes.ts";
import { connectManager, whileConnected } from "../manager/connection.ts";
import { runsWithin } from "../manager/own-process.ts";
import { selectProcesses } from "../manager/select.ts";
import type { ConnectionFlags } from "../manager/way.ts";
import { OutputFilter } from "../output/output-filter.ts";
import { paint } from "../output/table.ts";

export interface LogsFlags extends ConnectionFlags {
  follow?: boolean;
  lines: number;
  /** On a terminal too. */
  raw?: boolean;
}

/** `mgr logs [-f] [-n N] NAME…`: the last lines of output, and with -f what comes after them, without loss or repetition. */
export async function logs(names: string[], flags: LogsFlags): Promise<void> {
  const client = await connectManager(flags);
  try {
    const selected = selectProcesses((await client.snapshot()).processes, names);
    // Of itself it can print what was, not what comes: that would be what it prints.
    const chosen = selected.filter((process) => !flags.follow || !runsWithin(process)).map(({ name }) => name);
    if (chosen.length === 0)
      throw new CommandFailure(EXIT.usage, `this command runs in the terminal of '${names.join(" ")}', which cannot follow its own output`);
    const printer = linePrinter({ withNames: chosen.length > 1, isFiltered: Boolean(process.stdout.isTTY) && !flags.raw });
    const joins = new Map(chosen.map((name) => [name, new OutputJoin()]));
    if (flags.follow) {
      // Subscribed before asking, so that nothing falls between. A name may match as a pattern, too: only the chosen count.
      client.frames$.subscribe((frame) => {
        if (frame.type !== "process_output") return;
        const fresh = joins.get(frame.name)?.live(frame) ?? "";
        if (fresh !== "" && frame.skipped !== undefined) printer.gap(frame.name, frame.skipped);
        printer.write(frame.name, fresh);
      });
      await client.request({ type: "subscribe_process_output", patterns: chosen });
    }
    for (const [name, join] of joins) {
      const frame = await client.request({ type: "get_process_output", name, lines: flags.lines });
      if (frame.type === "process_output_snapshot") printer.write(name, join.backlog(frame));
    }
    try {
      if (flags.follow) await whileConnected(client, (stop) => process.once("SIGINT", stop));
    } finally {
      printer.end();
    }
  } finally {
    client.close();
  }
}

/**
 * Output of several processes as whole lines with their name before them; of one process as it comes. Filtered for a
 * terminal (docs/decisions/0025): what programs told their own terminals long ago is not for this one.
 */
function linePrinter({ withNames, isFiltered }: { withNames: boolean; isFiltered: boolean }) {
  const rests = new Map<string, string>();
  const filters = new Map<string, OutputFilter>();
  const filterOf = (name: string) => {
    const filter = filters.get(name) ?? new OutputFilter();
    filters.set(name, filter);
    return filter;
  };
  const prefix = (name: string) => `${paint("cyan", name)} | `;
  return {
    write(name: string, raw: string): void {
      const output = isFiltered ? filterOf(name).write(raw) : raw;
      if (!withNames) {
        process.stdout.write(output);
        return;
      }
      const lines = ((rests.get(name) ?? "") + output).split("\n");
      rests.set(name, lines.pop() ?? "");
      for (const line of lines) process.stdout.write(`${prefix(name)}${line.replace(/\r$/, "")}\n`);
    },
    /** Told beside the output, which may be for a program. */
    gap(name: string, bytes: number): void {
      process.stderr.write(`mgr: ${bytes} bytes of '${visible(name)}' are left out here: they came faster than they were read\n`);
    },
    end(): void {
      for (const [name, filter] of filters) {
        const rest = filter.end();
        if (withNames) rests.set(name, (rests.get(name) ?? "") + rest);
        else process.stdout.write(rest);
      }
      for (const [name, rest] of rests) if (rest !== "") process.stdout.write(`${prefix(name)}${rest}\n`);
    },
  };
}
