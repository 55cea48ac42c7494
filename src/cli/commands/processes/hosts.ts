import { visible } from "../../../base/text/visible-text.ts";
import { hostRemark } from "../../../client/shown/host-remark.ts";
import { isLost } from "../../../client/shown/shown-state.ts";
import { CLI_FEATURES } from "../../../features/cli.ts";
import type { HostEntry, Process } from "../../../protocol/resources/resources.ts";
import type { HostFigures } from "../../command/feature.ts";
import { withManager } from "../../manager/connection.ts";
import type { ConnectionFlags } from "../../manager/connection-target.ts";
import { clockTime } from "../../output/process-text.ts";
import { paint, printJson, table } from "../../output/table.ts";

export interface HostsFlags extends ConnectionFlags {
  json?: boolean;
}

/** Maximum difference of clocks that is not highlighted, seconds. */
const CLOCK_TOLERANCE = 2;

/** `mgr hosts`: shows the machines that processes run on, and whether their daemons are connected. */
export async function hosts(flags: HostsFlags): Promise<void> {
  await withManager(flags, async (client) => {
    const { host_list, processes } = await client.snapshot();
    const found = await Promise.all(CLI_FEATURES.map(({ hostFigures }) => hostFigures?.read(client) ?? null));
    const figures = found.filter((each) => each !== null);
    if (flags.json) printJson(host_list.map((host) => Object.assign({ ...host }, ...figures.map(({ json }) => json(host)))));
    else process.stdout.write(`${listing(host_list, processes, figures)}\n`);
  });
}

export function listing(entries: HostEntry[], processes: Process[], figures: readonly HostFigures[] = []): string {
  const running = (host: string) => {
    const own = processes.filter((each) => each.host === host);
    return `${own.filter((each) => each.pid !== null && !isLost(each)).length}/${own.length}`;
  };
  const problems = entries.flatMap(({ name, problem }) => (problem === null ? [] : [paint("red", visible(`${name}: ${problem}`))]));
  const rows = table<HostEntry>(
    [
      { title: "HOST", text: ({ name }) => name },
      { title: "STATE", text: ({ state }) => state, paint: ({ state }, text) => paint(state === "ready" ? "green" : "yellow", text) },
      { title: "RUNNING", text: ({ name }) => running(name), right: true },
      { title: "VERSION", text: ({ version }) => version ?? "-" },
      { title: "CLOCK", text: clock, right: true, paint: (entry, text) => (isOff(entry) ? paint("yellow", text) : text) },
      ...figures.flatMap(({ columns }) => columns),
      { title: "ALSO", text: ({ all_names, name }) => all_names.filter((each) => each !== name).join(" ") },
    ],
    entries,
  );
  const remarks = entries.flatMap((host) => {
    const remark = hostRemark(host, clockTime);
    return remark === null ? [] : [paint("yellow", visible(`${host.name}: ${remark}`))];
  });
  return [rows, ...problems, ...remarks].join("\n");
}

function clock({ clock_offset }: HostEntry): string {
  if (clock_offset === null) return "-";
  const much = Math.abs(clock_offset).toFixed(2);
  return `${clock_offset < 0 && Number(much) > 0 ? "-" : "+"}${much}s`;
}

function isOff({ clock_offset }: HostEntry): boolean {
  return clock_offset !== null && Math.abs(clock_offset) > CLOCK_TOLERANCE;
}
