import type { Pages } from "../../../cli/command/feature.ts";

const UNIT = "Without --user it is a unit of the system, which only root can change.";

/** Manual of `mgr service`. */
export const SERVICE_PAGES: Pages = {
  service: {
    about: "systemd then starts the manager at boot, and again if it crashes. See docs/service.md.",
    examples: [["sudo mgr service install -c /srv/bench/mgr.yaml", "start a manager at each boot"]],
  },
  "service install": {
    about: `Writes a unit of systemd, enables and starts it. The unit runs a manager with its local daemon or, with --daemon, the daemon of
another host, which takes the options of 'mgr daemon'. ${UNIT} It runs as the owner of the configuration (with --daemon, of the token file),
unless --run-as names another user. A unit that this command has written is replaced; changes belong into a drop-in (systemctl edit).`,
    completes: { "--environment": { words: ["PATH", "LANG", "TZ"] } },
    examples: [
      ["mgr service install --user", "for this user, with mgr.yaml of this folder"],
      ["mgr service install --dry-run --run-as mgr -c /etc/mgr/mgr.yaml", "print the unit"],
      ["sudo mgr service install --daemon --host rt1 --bus wss://bench.lab:8130 --token-file /etc/mgr/rt1.token", "on another host"],
    ],
    exitCodes: "2 also if the configuration has problems",
  },
  "service uninstall": {
    about: `Stops the service with all its processes, disables it and removes its unit. ${UNIT}`,
    examples: [["mgr service uninstall --user", "remove the unit of this user"]],
    exitCodes: "3 if there is no such unit",
  },
  "service status": {
    about: `Says whether the unit is installed, enabled and active. ${UNIT}`,
    json: "{unit, file, active, state, result, pid, restarts, enabled}; pid null: no process, result as systemd calls it",
    examples: [["mgr service status --user", "of the unit of this user"]],
    exitCodes: "1 if the service is not active, 3 if there is no such unit",
  },
};
