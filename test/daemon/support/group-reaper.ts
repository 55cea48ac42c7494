import { readStat, scanProcesses } from "../../../src/daemon/proc.ts";
import type { TreeReaper } from "../../../src/daemon/reaper.ts";

/** Kills by session, which is enough for children that do not leave it. */
export function groupReaper(): TreeReaper {
  return {
    track: ({ pid }) => {
      const members = () => [...scanProcesses().values()].filter((stat) => stat.session === pid && !stat.ended);
      const send = (signal: NodeJS.Signals) => {
        for (const { pid: member } of members()) process.kill(member, signal);
      };
      return {
        signal: (signal) => {
          send(signal as NodeJS.Signals);
          send("SIGCONT");
        },
        signalLeader: (signal) => readStat(pid) !== null && process.kill(pid, signal as NodeJS.Signals),
        killRest: () => send("SIGKILL"),
        extinct: async () => {
          while (members().length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
        },
        release: () => {},
      };
    },
    close: () => {},
  };
}
