import { type Column, table } from "../../../cli/output/table.ts";
import { endText, type ShownRun } from "../../../client/shown/run-list.ts";
import { bytesText, spanText } from "../../../client/shown/units.ts";

const COLUMNS: Column<ShownRun>[] = [
  { title: "RUN", text: ({ run }) => String(run.number), right: true },
  { title: "STARTED", text: ({ run }) => localTime(run.start_time) },
  {
    title: "ENDED",
    text: ({ run, lengthMs }) => (run.stop_time === null && lengthMs !== null ? "runs" : localTime(run.stop_time)),
    spare: 2,
  },
  { title: "LENGTH", text: ({ lengthMs }) => (lengthMs === null ? "" : spanText(lengthMs)), right: true },
  { title: "OUTPUT", text: ({ outputBytes }) => (outputBytes === null ? "" : bytesText(outputBytes)), right: true, spare: 1 },
  { title: "HOW IT ENDED", text: (shown) => [endText(shown), shown.next].filter((part) => part !== null).join(", ") },
];

/** The runs as a table, newest first. */
export const runsText = (runs: ShownRun[], width?: number): string => table(COLUMNS, runs, width);

/** The local date and time of a time of the protocol. */
function localTime(time: string | null): string {
  if (time === null) return "";
  const date = new Date(`${time}Z`);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}
