import { visible } from "../../../base/text/visible-text.ts";
import { paint, table } from "../../../cli/output/table.ts";
import { COMPARISON_WORDS, DIFFERENCES, GROUP_TITLES, SETTING_GROUPS } from "../rows.ts";
import type { RunningSetting, RunningSettings } from "../wire.ts";

const MARKS: Readonly<Partial<Record<RunningSetting["comparison"], string>>> = { changed: "*", added: "+", missing: "-", unknown: "?" };

interface Options {
  readonly onlyDifferences: boolean;
  readonly width?: number;
}

/** Settings as tables, one for each group. */
export function settingsText(found: RunningSettings & { readonly name: string }, { onlyDifferences, width }: Options): string {
  const { name, host, pid, settings } = found;
  const rows = settings.filter(({ comparison }) => !onlyDifferences || DIFFERENCES.has(comparison));
  const parts = SETTING_GROUPS.flatMap((group) => {
    const own = rows.filter((row) => row.group === group);
    return own.length === 0 ? [] : [groupTable(GROUP_TITLES[group], own, width)];
  });
  if (parts.length === 0) parts.push("Everything is as configured.");
  return [[`${visible(name)} on ${visible(host)}, pid ${pid}`, ...notes(found)].join("\n"), ...parts].join("\n\n");
}

function* notes({ environment, problem }: RunningSettings): Generator<string> {
  if (environment === "unreadable") yield "Its environment cannot be read: the process belongs to another user.";
  if (environment === "cut") yield "Its environment is longer than 256 KiB: only the first part was compared.";
  if (problem !== null) yield `The configured environment is not known: ${visible(problem)}`;
}

function groupTable(title: string, rows: RunningSetting[], width: number | undefined): string {
  return table<RunningSetting>(
    [
      { title: "", text: ({ comparison }) => MARKS[comparison] ?? " " },
      {
        title: title.toUpperCase(),
        text: ({ name }) => name,
        // A difference with a reason is expected.
        paint: ({ comparison, reason }, padded) =>
          DIFFERENCES.has(comparison) && reason === null ? paint("yellow", padded) : visible(padded),
      },
      { title: "RUNNING", text: ({ running }) => running ?? "-" },
      { title: "CONFIGURED", text: (row) => configuredText(row) },
      { title: "", text: ({ reason }) => reason ?? "", spare: 1 },
    ],
    rows,
    width,
  );
}

function configuredText({ comparison, configured }: RunningSetting): string {
  return comparison === "same" || comparison === "inherited" ? COMPARISON_WORDS[comparison] : (configured ?? "-");
}
