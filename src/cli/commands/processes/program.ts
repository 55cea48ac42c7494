import { Option } from "commander";
import { CLI_FEATURES } from "../../../features/cli.ts";
import { PROCESS_STATES } from "../../../protocol/process/process-state.ts";
import type { CommandGroup } from "../../command/feature.ts";
import { connecting, count, seconds } from "../../command/option-values.ts";
import type { ControlFlags } from "./control.ts";
import { processPages } from "./manual.ts";

/** Processes, and the hosts that they run on. */
export const PROCESSES: CommandGroup = {
  get pages() {
    return processPages(CLI_FEATURES.flatMap(({ hostFigures }) => hostFigures?.about ?? []));
  },
  add: (program) => {
    const ps = connecting(program.command("ps [names...]"))
      .description("list processes and their states")
      .option("--json", "as JSON")
      .option("-w, --watch", "repaint on every change");
    for (const { processFigures } of CLI_FEATURES)
      if (processFigures !== undefined) ps.option(`--${processFigures.option}`, processFigures.meaning);
    ps.action(async (names, flags) => (await import("./ps.ts")).ps(names, flags));

    connecting(program.command("top"))
      .description("full-screen view of states, load and memory; start, stop, restart and attach to processes")
      .action(async (flags) => (await import("./top.ts")).top(flags));

    connecting(program.command("hosts"))
      .description("list the hosts that processes run on, and whether their daemons are connected")
      .option("--json", "as JSON")
      .action(async (flags) => (await import("./hosts.ts")).hosts(flags));

    for (const verb of ["start", "stop", "restart"] as const) {
      const command = connecting(program.command(`${verb} <names...>`))
        .description(`${verb} processes, groups or matches of a pattern, and wait for the result`)
        .option("--no-wait", "return as soon as the manager has accepted the command")
        .option("--timeout <seconds>", "how long to wait", seconds, 60);
      const ways = verb === "restart" ? CLI_FEATURES.flatMap(({ restartWay }) => restartWay ?? []) : [];
      for (const { option, meaning } of ways) command.option(`--${option}`, meaning);
      command.action(async (names: string[], flags: ControlFlags) => {
        const way = ways.find(({ option }) => flags[option]);
        const { control, restartBy } = await import("./control.ts");
        await (way === undefined ? control(verb, names, flags) : restartBy(way, names, flags));
      });
    }

    connecting(program.command("signal <signal> <names...>"))
      .description("send a signal such as HUP to running processes")
      .action(async (word, names, flags) => (await import("./signal.ts")).signal(word, names, flags));

    connecting(program.command("wait <names...>"))
      .description("wait until processes are in a state; fails if a process fails")
      .addOption(new Option("--for <state>", "the state").choices(PROCESS_STATES).default("ready"))
      .option("--timeout <seconds>", "how long to wait", seconds, 30)
      .action(async (names, flags) => (await import("./wait.ts")).wait(names, flags));

    connecting(program.command("attach <name>"))
      .description("connect this terminal to a process; Ctrl-] detaches")
      .option("-n, --lines <count>", "number of past lines of output to show", count, 1000)
      .action(async (name, flags) => (await import("./attach.ts")).attach(name, flags));
  },
};
