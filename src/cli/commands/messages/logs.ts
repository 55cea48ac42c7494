import { OutputFilter } from "../../../base/patterns/output-filter.ts";
import { visible } from "../../../base/text/visible-text.ts";
import { OutputJoin } from "../../../client/output-join.ts";
import { inOrder, type PastOutput } from "../../../client/past-output.ts";
import type { ManagerFrame } from "../../../protocol/frames/frames.ts";
import { formatTime } from "../../../protocol/time.ts";
import { CommandFailure, EXIT } from "../../command/exit-codes.ts";
import { stayConnected, withManager } from "../../manager/connection.ts";
import type { ConnectionFlags } from "../../manager/connection-target.ts";
import { runsWithin } from "../../manager/select.ts";
import { processesIn } from "../../manager/selectors.ts";
import { NamedLines } from "../../output/named-lines.ts";
import { runLog } from "./run-log.ts";

/** Default number of past lines of each process, if named and if not. */
const LINES = 1_000;
const LINES_OF_ALL = 20;
/** Default number of past lines with --since. */
const MAX_LINES = 100_000;

/** Maximum past output that is held to be sorted, characters; more is sorted in parts of this size. */
const MAX_ORDERED_CHARACTERS = 64 * 1024 * 1024;

/** As wide as a time. */
const UNKNOWN_TIME = "-".padEnd("2026-11-22T14:30:00.000".length);

type OutputFrame = Extract<ManagerFrame, { type: "process_output" }>;

export interface LogsFlags extends ConnectionFlags {
  follow?: boolean;
  lines?: number;
  /** Age of the oldest output to show, seconds. */
  since?: number;
  /** Whether all control sequences are printed, also on a terminal. */
  raw?: boolean;
  /** Each line begins with the time at which it was written. */
  timestamps?: boolean;
  /** Only the output of this run: its number, or 0 for the newest, -1 for the one before. */
  run?: number;
}

/** `mgr logs [-f] [-n N] [NAME…]`: prints the last lines of output, and with -f new output, without loss or repetition. */
export async function logs(names: string[], flags: LogsFlags): Promise<void> {
  if (flags.run !== undefined) {
    await runLog(names, { ...flags, run: flags.run });
    return;
  }
  const isAll = names.length === 0;
  await withManager(flags, async (client) => {
    const snapshot = await client.snapshot();
    const selected = isAll ? snapshot.processes : processesIn(snapshot, names);
    // A process that follows itself would print its own output, for ever.
    const own = new Set(selected.filter((process) => flags.follow && runsWithin(process)).map(({ name }) => name));
    const chosen = selected.map(({ name }) => name).filter((name) => !own.has(name));
    if (chosen.length === 0 && own.size > 0)
      throw new CommandFailure(
        EXIT.usage,
        `this command runs in the terminal of '${[...own].join(" ")}', which cannot follow its own output`,
      );
    const isFiltered = Boolean(process.stdout.isTTY) && !flags.raw;
    const isInLines = isAll || chosen.length > 1 || flags.timestamps === true;
    const printer = isInLines ? new NamedLines({ names: chosen, isFiltered }) : plainPrinter(isFiltered);
    const joins = new Map(chosen.map((name) => [name, new OutputJoin()]));
    const receive = (frame: OutputFrame) => {
      const join = joins.get(frame.name);
      if (join === undefined && !isAll) return;
      const fresh = join === undefined ? frame.output : join.live(frame);
      if (fresh !== "" && frame.skipped !== undefined) reportGap(frame.name, frame.skipped);
      process.stdout.write(printer.write(frame.name, fresh, flags.timestamps ? formatTime(Date.now()) : ""));
    };
    /** Live output that waits until past output is printed; null: it is printed. */
    let waiting: OutputFrame[] | null = [];
    if (flags.follow) {
      // Subscribed before the request, so that nothing is missed in between. A name may match others as a pattern.
      client.frames$.subscribe((frame) => {
        if (frame.type !== "process_output" || own.has(frame.name)) return;
        if (waiting === null) receive(frame);
        else waiting.push(frame);
      });
      await client.request({ type: "subscribe_process_output", patterns: isAll ? ["*"] : chosen });
    }
    const age = flags.since === undefined ? {} : { seconds: flags.since };
    const lines = flags.lines ?? (flags.since === undefined ? (isAll ? LINES_OF_ALL : LINES) : MAX_LINES);
    const times = joins.size > 1 || flags.timestamps ? { times: true } : {};
    let past: PastOutput[] = [];
    const print = () => {
      for (const { name, text, time } of inOrder(past))
        process.stdout.write(printer.write(name, text, flags.timestamps ? time || UNKNOWN_TIME : ""));
      past = [];
    };
    for (const [name, join] of joins) {
      const snapshot = await client.request({ type: "get_process_output", name, lines, ...age, ...times });
      past.push({ name, text: join.backlog(snapshot), offset: snapshot.offset, times: snapshot.times ?? [] });
      if (past.reduce((sum, { text }) => sum + text.length, 0) > MAX_ORDERED_CHARACTERS) print();
    }
    print();
    for (const frame of waiting) receive(frame);
    waiting = null;
    try {
      if (flags.follow) await stayConnected(client);
    } finally {
      process.stdout.write(printer.end());
    }
  });
}

/** Reports a gap on stderr, because stdout may be read by a program. */
function reportGap(name: string, bytes: number): void {
  process.stderr.write(`mgr: ${bytes} bytes of '${visible(name)}' were skipped: they came faster than they could be read\n`);
}

/**
 * Prints output of one process as it arrives. Filtered for a terminal (docs/decisions/0025): control sequences that the process sent to its
 * own terminal are not for this one.
 */
function plainPrinter(isFiltered: boolean): Pick<NamedLines, "write" | "end"> {
  const filter = isFiltered ? new OutputFilter() : null;
  return { write: (_name, output) => filter?.write(output) ?? output, end: () => filter?.end() ?? "" };
}
