import { CLI_FEATURES } from "../../../features/cli.ts";
import type { CommandGroup } from "../../command/feature.ts";
import { configuration, connecting, port, profile, trust } from "../../command/option-values.ts";
import { SETUP_PAGES } from "./manual.ts";

/** Files and machines of an instance. */
export const SETUP: CommandGroup = {
  pages: SETUP_PAGES,
  add: (program) => {
    const init = program
      .command("init")
      .description("create a first configuration, and a web user with a generated password")
      .option("-c, --config <file>", "configuration file to create", "mgr.yaml")
      .option("--name <name>", "name of the instance (default: the name of the folder)")
      .option("--port <port>", "port of the page and the WebSocket", port, 8130)
      .action(async (flags) => (await import("./init.ts")).init(flags));
    if (CLI_FEATURES.some(({ importer }) => importer !== undefined))
      init.option("--import <path>", "import the processes of another process manager's file or folder");

    connecting(program.command("save-all [file]"))
      .description("save an archive of states, configuration without secrets, logs and output; '-' writes to stdout")
      .action(async (file, flags) => (await import("./save-all.ts")).saveAll(file, flags));

    program
      .command("check")
      .description("validate a configuration; reports all problems with file, line and column")
      .addOption(configuration())
      .addOption(trust())
      .addOption(profile())
      .option("--json", "as JSON")
      .action(async (flags) => (await import("./check.ts")).check(flags));

    program
      .command("passwd <user>")
      .description("add a web user, or change the password of one")
      .addOption(configuration())
      .addOption(trust())
      .addOption(profile())
      .option("--file <file>", "the auth file (default: MGR_WEBUI_AUTH_FILE, or the configured one)")
      .option("--plain", "store the password itself instead of a hash, for programs of this machine that read it from the file")
      .option("--stdin", "read the password from the first line of stdin")
      .option("--generate", "generate a password and print it")
      .action(async (user, flags) => (await import("./passwd.ts")).passwd(user, flags));

    program
      .command("daemon")
      .description("run the daemon of a host in the foreground, with --bus on another machine (mgr up starts the local one)")
      .option("-c, --config <file>", "configuration file, without --bus (default: mgr.yaml in this folder or the nearest one above)")
      .addOption(trust())
      .addOption(profile())
      .option("--host <name>", "name of this host in the manager's 'hosts' (default: the machine's name)")
      .option("--bus <url...>", "address of the manager or its NATS server; several are tried in turn")
      .option("--token-file <file>", "file with the token of this host")
      .option("--ca-file <file>", "PEM file with the trusted certificate authorities for the bus")
      .option("--state-dir <folder>", "folder for the daemon's lock and log (default: $XDG_STATE_HOME/mgr/daemon-NAME)")
      .option("--cwd <folder>", "base folder of relative paths of processes (default: the current folder)")
      .option("--resume", "start what was requested before, if no manager is reached after a boot (default: hosts.NAME.on_boot)")
      .option("--no-resume", "wait for the manager after a boot, whatever on_boot says")
      .action(async (flags) => (await import("./daemon.ts")).daemon(flags));
  },
};
