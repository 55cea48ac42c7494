import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Part } from "../support/part.ts";
import type { LiveProcesses } from "./live-processes.ts";
import type { Peer } from "./peer.ts";

/** pm2 in the folder that MGR_BENCH_PM2 names: `npm install --prefix <folder> pm2`. Asked through its own module. */
export async function pm2(processes: LiveProcesses): Promise<Peer> {
  const folder = process.env.MGR_BENCH_PM2;
  if (folder === undefined || !existsSync(join(folder, "node_modules/pm2"))) {
    throw new Error("pm2 is missing: 'npm install --prefix <folder> pm2', then run the benchmark with MGR_BENCH_PM2=<folder>");
  }
  const home = join(processes.dir, "pm2");
  const apps = Array.from({ length: processes.count }, (_, number) => {
    const [script, ...args] = processes.command(number);
    return { name: `p${number}`, script, args, interpreter: "none", exec_mode: "fork", autorestart: true, cwd: processes.dir };
  });
  const config = join(processes.dir, "pm2.json");
  writeFileSync(config, JSON.stringify({ apps }));
  const part = await Part.start(new URL("pm2-client.ts", import.meta.url), folder, home);
  const pidFile = join(home, "pm2.pid");
  return {
    up: async () => {
      await part.ask({ start: config });
    },
    programs: () => (existsSync(pidFile) ? [Number(readFileSync(pidFile, "utf8"))] : []),
    stop: async () => {
      await part.ask({ stop: "all" });
    },
    restart: async (number) => {
      await part.ask({ restart: `p${number}` });
    },
    status: async () => {
      const { count } = await part.ask<{ count: number }>({ list: true });
      if (count !== processes.count) throw new Error(`pm2 named ${count} of ${processes.count} processes`);
    },
    [Symbol.asyncDispose]: async () => {
      await part.ask({ kill: true });
      await part[Symbol.asyncDispose]();
    },
  };
}
