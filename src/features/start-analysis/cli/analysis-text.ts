import { visible } from "../../../base/text/visible-text.ts";
import { type Column, paint, table } from "../../../cli/output/table.ts";
import { parseTime } from "../../../protocol/time.ts";
import { durationText, ownTime, type PhaseName, phasesOf } from "../phases.ts";
import type { ProcessStart, StartAnalysis, StartChainLink } from "../wire.ts";

/** Deeper levels of the chain are not indented further, columns. */
const MAX_INDENT = 40;

interface Options {
  /** Now by the clock of this machine, for starts that are under way. */
  readonly now: number;
  readonly limit: number;
  readonly width?: number;
}

/** The last start as text: a headline, the critical chain as a tree, and a table of the longest ones. */
export function analysisText(analysis: StartAnalysis, { now, limit, width }: Options): string {
  const begin = analysis.requested === null ? now : parseTime(analysis.requested);
  const members = analysis.processes.filter(({ in_last_start }) => in_last_start);
  const longest = members.toSorted((a, b) => ownTime(b, now) - ownTime(a, now)).slice(0, limit);
  const left = members.length - longest.length;
  return [
    headline(analysis, members, now),
    ...notes(analysis, members),
    "",
    paint("bold", "Critical chain (@ since the start was requested, + its own part)"),
    ...chainLines(analysis.chain, { begin, now }),
    "",
    longestTable(longest, now, width),
    ...(left > 0 ? [`${left} more; show them with --limit ${members.length}`] : []),
  ].join("\n");
}

function headline({ name, requested, settled }: StartAnalysis, members: readonly ProcessStart[], now: number): string {
  const what = name === null ? "all processes" : `'${visible(name)}'`;
  const begin = requested === null ? now : parseTime(requested);
  const took = settled === null ? `under way for ${durationText(now - begin)}` : `took ${durationText(parseTime(settled) - begin)}`;
  const count = members.length === 1 ? "1 process" : `${members.length} processes`;
  const failed = members.filter(({ outcome }) => outcome === "failed").length;
  const at = requested === null ? "" : ` at ${requested.slice(0, 19).replace("T", " ")} UTC`;
  return `Last start of ${what}${at}: ${count}, ${took}${failed > 0 ? `, ${failed} failed` : ""}`;
}

function* notes({ processes, unknown }: StartAnalysis, members: readonly ProcessStart[]): Generator<string> {
  const earlier = processes.length - members.length;
  if (earlier > 0) yield `${earlier === 1 ? "1 process was" : `${earlier} processes were`} started at another time (--json has all).`;
  if (unknown.length > 0)
    yield `The start of ${unknown.length === 1 ? "1 process is" : `${unknown.length} processes is`} not known: an earlier manager has started ${unknown.length === 1 ? "it" : "them"}.`;
}

/** The process that was up last comes first, what it waited for below it. */
function chainLines(chain: readonly StartChainLink[], { begin, now }: { begin: number; now: number }): string[] {
  return chain.toReversed().map(({ name, known, from, until }, depth) => {
    const branch = depth === 0 ? "" : `${"  ".repeat(Math.min(depth - 1, MAX_INDENT / 2))}└─`;
    const end = until === null ? now : parseTime(until);
    const times = known
      ? `@${durationText(end - begin)} +${durationText(Math.max(0, end - (from === null ? end : parseTime(from))))}`
      : "its start is not known";
    return `${branch}${visible(name)} ${paint(known ? "cyan" : "grey", times)}${until === null ? " (under way)" : ""}`;
  });
}

function longestTable(rows: ProcessStart[], now: number, width: number | undefined): string {
  const phase = (title: string, name: PhaseName, spare: number): Column<ProcessStart> => ({
    title,
    text: (start) => {
      const found = phasesOf(start, now).find((each) => each.name === name);
      return found === undefined ? "-" : durationText(found.until - found.from);
    },
    right: true,
    spare,
  });
  return table<ProcessStart>(
    [
      { title: "LONGEST", text: ({ name }) => name },
      { title: "OWN TIME", text: (start) => durationText(ownTime(start, now)), right: true },
      phase("WAITING", "waiting", 3),
      phase("STARTING", "starting", 2),
      phase("UNTIL READY", "until_ready", 4),
      { title: "WAITED FOR", text: ({ after }) => after ?? "-", spare: 1 },
      { title: "", text: outcomeText },
    ],
    rows,
    width,
  );
}

function outcomeText({ outcome, failure, attempts }: ProcessStart): string {
  const word = { up: "", under_way: "under way", ended: "ended before it was ready", failed: `failed: ${failure ?? ""}` }[outcome];
  return [word, attempts > 1 ? `${attempts} attempts` : ""].filter((text) => text !== "").join(", ");
}
