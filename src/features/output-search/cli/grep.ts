import { isWithin } from "../../../base/text/names.ts";
import { visible } from "../../../base/text/visible-text.ts";
import { CommandFailure, explain } from "../../../cli/command/exit-codes.ts";
import { withManagerUntilInterrupted } from "../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import { selectProcesses } from "../../../cli/manager/select.ts";
import { namesIn } from "../../../cli/manager/selectors.ts";
import { jsonText } from "../../../cli/output/table.ts";
import type { ManagerClient } from "../../../client/manager-client.ts";
import type { OutputSearchSummary } from "../client/search-output.ts";
import { missingParts } from "../missing-parts.ts";
import { hitText } from "./hit-text.ts";

/** As grep. */
const EXIT = { found: 0, none: 1, error: 2 } as const;

const LIMITS = { hits: "number of hits (--limit)", size: "size of all hits", cpu_time: "processor time" } as const;

export interface GrepFlags extends ConnectionFlags {
  ignoreCase?: boolean;
  regexp?: boolean;
  /** Age of the oldest output, seconds. */
  since?: number;
  context?: number;
  limit: number;
  json?: boolean;
}

/** `mgr grep PATTERN [NAME…]`: prints the lines of output that match. */
export async function grep(pattern: string, names: string[], flags: GrepFlags): Promise<void> {
  // Also after Ctrl-C.
  process.exitCode = EXIT.error;
  try {
    await withManagerUntilInterrupted(flags, async (client, interrupted) => {
      const summary = await printHits(client, { pattern, where: await chosen(client, names), flags, interrupted });
      process.stderr.write(warningText(summary));
      process.exitCode = summary.unanswered.length > 0 ? EXIT.error : summary.hits > 0 ? EXIT.found : EXIT.none;
    });
  } catch (error) {
    throw new CommandFailure(EXIT.error, explain(error));
  }
}

interface Search {
  readonly pattern: string;
  readonly where: { readonly names?: string[]; readonly patterns?: string[] };
  readonly flags: GrepFlags;
  readonly interrupted: AbortSignal;
}

async function printHits(client: ManagerClient, { pattern, where, flags, interrupted }: Search): Promise<OutputSearchSummary> {
  const { ignoreCase = false, regexp = false, since, context = 0, limit, json = false } = flags;
  const age = since === undefined ? {} : { since };
  const query = { ...where, ...age, regex: regexp, ignore_case: ignoreCase, context, limit, signal: interrupted };
  const hits = client.searchOutput(pattern, query);
  for (;;) {
    const { done, value } = await hits.next();
    if (done) return value;
    process.stdout.write(json ? `${jsonText(value, { oneLine: true })}\n` : hitText(value));
  }
}

/** An exact name means that process or group alone, although it may be a pattern, too. Each has to match something. */
async function chosen(client: ManagerClient, given: readonly string[]): Promise<Search["where"]> {
  if (given.length === 0) return {};
  const snapshot = await client.snapshot();
  const { processes } = snapshot;
  const words = namesIn(snapshot, given);
  selectProcesses(processes, words);
  const isName = (word: string) => processes.some(({ name }) => isWithin(name, word));
  return { names: words.filter(isName), patterns: words.filter((word) => !isName(word)) };
}

/** Reports the parts that are missing in the result. */
export function warningText(summary: Pick<OutputSearchSummary, "truncated" | "unanswered" | "problems">): string {
  return missingParts(summary, LIMITS)
    .map((line) => `mgr: ${visible(line)}\n`)
    .join("");
}
