import { parentName } from "../../../base/text/names.ts";
import type { CliFeature } from "../../../cli/command/feature.ts";
import type { Process } from "../../../protocol/resources/resources.ts";
import type { ReplicaSet } from "../wire.ts";
import { SCALE_GROUP } from "./program.ts";

export const replicasCli: CliFeature = {
  processCommands: SCALE_GROUP,
  snapshotFigures: ({ replicas }) => {
    const byName = new Map(replicas.map((set) => [set.name, set]));
    const setOf = ({ name }: Process) => byName.get(parentName(name) ?? "");
    const text = (row: Process) => {
      const set = setOf(row);
      return set === undefined ? "-" : replicaText(row.name, set);
    };
    return {
      columns: byName.size === 0 ? [] : [{ title: "REPLICA", text }],
      json: (process) => ({ replicas: setOf(process) ?? null }),
    };
  },
};

/** `2/5`; with `(configured 3)` while another number was set. A replica that is still being stopped has a number above the count. */
function replicaText(name: string, { name: set, count, configured }: ReplicaSet): string {
  return `${name.slice(set.length + 1)}/${count}${count === configured ? "" : ` (configured ${configured})`}`;
}
