import type { Pages } from "../../command/feature.ts";

/** Manual of the commands for files and machines of an instance. */
export const SETUP_PAGES: Pages = {
  init: {
    about: `Writes mgr.yaml and webui.keys to the current folder and never overwrites existing files. The first line of mgr.yaml names its
schema, with which editors complete and check keys (YAML language server). If the folder has a file of another process
manager, such as a Procfile or a compose.yaml, it offers to import its processes. The password is printed once; 'mgr passwd' sets a new one.`,
    examples: [
      ["mgr init && mgr up", "create a configuration and run it"],
      ["mgr init --import Procfile --port 9000", "import the processes of a Procfile"],
    ],
  },
  "save-all": {
    about: "The archive is a .tar.bz2. Its default name has the instance and the time. An incomplete archive is removed.",
    examples: [
      ["mgr save-all", "save to the current folder"],
      ["mgr save-all - | ssh desk 'cat > bench.tar.bz2'", "save to another machine"],
    ],
  },
  check: {
    about: "Reads the file and its includes like 'mgr up', but starts nothing.",
    json: "{ok, problems: [{file, path, line, column, message, excerpt}], processes: names}",
    examples: [["mgr check -c bench.yaml --json", "for an editor or a CI job"]],
    exitCodes: "2 if there are problems",
  },
  passwd: {
    about: "A running manager uses the change at once and ends the user's sessions.",
    examples: [
      ["mgr passwd ada", "prompt for the new password"],
      ["mgr passwd --generate ci", "generate and print a password, store only its hash"],
      ["mgr passwd --plain ci", "store the password itself: scripts of this machine read it from the auth file"],
    ],
  },
  daemon: {
    about: `The daemon owns terminals and processes, and keeps running if the manager is killed. 'mgr up' starts the daemon of its own machine.
On other machines, use --bus: the daemon connects to the manager (ws://MANAGER:PORT, wss://…) or to the NATS server of
'instance.bus' (nats://…, tls://…), and reconnects for ever; processes keep running meanwhile. SIGTERM stops all its processes,
a second one kills them at once. After a boot without a manager, --resume starts what was requested before. See docs/multi-host.md.`,
    examples: [
      ["mgr daemon --host rt1 --bus ws://bench.lab:8130 --token-file rt1.token", "run the daemon of another machine"],
      ["mgr daemon --resume --host rt1 --bus ws://bench.lab:8130 --token-file rt1.token", "for a robot that may boot out of reach"],
      ["mgr daemon -c mgr.yaml", "run the local daemon in the foreground"],
    ],
  },
};
