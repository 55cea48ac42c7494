import { type Command, Option } from "commander";
import type { CommandGroup } from "../../../cli/command/feature.ts";
import { collected, configuration, profile, trust } from "../../../cli/command/option-values.ts";
import { SERVICE_PAGES } from "./manual.ts";

/** The commands `mgr service …`. */
export const SERVICE_GROUP: CommandGroup = {
  pages: SERVICE_PAGES,
  add: (program) => {
    // Services of the bus have commands of this name, too, if that feature is there.
    const others = program.commands.find((command) => command.name() === "service");
    const about = "run a manager, or the daemon of a host, as a service of systemd";
    const service = others?.description(`${others.description()}; ${about}`) ?? program.command("service").description(about);

    named(service.command("install"))
      .description("write, enable and start a unit")
      .addOption(new Option("--manager", "a manager with its local daemon (the default)").conflicts("daemon"))
      .option("--daemon", "the daemon of another host than the manager's")
      .addOption(configuration())
      .addOption(trust())
      .addOption(profile())
      .option("--host <name>", "with --daemon: name of this host in the manager's 'hosts' (default: the machine's name)")
      .option("--bus <url...>", "with --daemon: address of the manager or its NATS server")
      .option("--token-file <file>", "with --daemon: file with the token of this host")
      .option("--ca-file <file>", "with --daemon: PEM file with the trusted certificate authorities for the bus")
      .option("--state-dir <folder>", "with --daemon: folder for the daemon's lock and log")
      .option("--cwd <folder>", "with --daemon: base folder of relative paths of processes (default: the current folder)")
      .addOption(new Option("--run-as <name>", "the user of the service").conflicts("user"))
      .option("--environment <variable>", "NAME=VALUE, or NAME with its present value; may be repeated", collected)
      .option("--program <file>", "the program that the unit runs (default: this one)")
      .option("--no-start", "enable the unit, and start nothing now")
      .option("--dry-run", "print the unit, and change nothing")
      .action(async (flags) => (await import("./install.ts")).install(flags));

    named(service.command("uninstall"))
      .description("stop a service, and remove its unit")
      .action(async (flags) => (await import("./uninstall.ts")).uninstall(flags));

    named(service.command("status"))
      .description("show whether a service is installed and active")
      .option("--json", "as JSON")
      .action(async (flags) => (await import("./status.ts")).status(flags));
  },
};

function named(command: Command): Command {
  return command
    .option("--user", "a unit of this user, instead of the system")
    .option("--name <unit>", "name of the unit (default: mgr, with --daemon mgr-daemon)");
}
