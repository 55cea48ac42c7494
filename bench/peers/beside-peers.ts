import { percentile, printFigure } from "../support/figure.ts";
import { bareTerminals } from "./bare-terminals.ts";
import type { LiveProcesses } from "./live-processes.ts";
import { ours } from "./ours.ts";
import type { Peer } from "./peer.ts";
import { pm2 } from "./pm2.ts";
import { measure, type Options, type Rows } from "./rows.ts";
import { s6 } from "./s6.ts";
import { supervisord } from "./supervisord.ts";

const PEERS: Record<string, (processes: LiveProcesses) => Peer | Promise<Peer>> = {
  "bare terminals": bareTerminals,
  supervisord,
  s6,
  pm2,
  ours,
};

/** Median and spread of a row over all runs. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

/** Rows of the table: by row, then by peer. */
export type Table = Record<string, Record<string, Spread>>;

/** Measures each of `names` in turns, so that what changes on the machine meanwhile meets all of them, and prints one line. */
export async function besidePeers(figure: string, names: readonly string[], options: Options): Promise<void> {
  const runs = Number(process.env.MGR_BENCH_RUNS ?? 5);
  const only = process.env.MGR_BENCH_PEERS?.split(",") ?? names;
  const results: Record<string, Rows[]> = Object.fromEntries(only.map((name) => [name, []]));
  for (let run = 0; run < runs; run++) {
    for (const name of only) {
      const prepare = PEERS[name];
      if (prepare === undefined) throw new Error(`'${name}' in MGR_BENCH_PEERS is none of ${Object.keys(PEERS).join(", ")}`);
      results[name]?.push(await measure(prepare, options));
    }
  }
  const table: Table = {};
  for (const [name, all] of Object.entries(results)) {
    for (const row of Object.keys(all[0] ?? {})) {
      const values = all.map((each) => each[row] ?? Number.NaN);
      const spread = { median: percentile(values, 0.5), least: Math.min(...values), most: Math.max(...values) };
      table[row] = { ...table[row], [name]: spread };
    }
  }
  printFigure({
    figure,
    unit: `s from 'mgr up' until ${options.count} processes run, median of ${runs} runs`,
    value: table.up_s?.ours?.median ?? Number.NaN,
    peer: "posix_spawn with a pseudo terminal each, and nothing else",
    peer_value: table.up_s?.["bare terminals"]?.median ?? Number.NaN,
    runs,
    count: options.count,
    table,
  });
}
