import type { Pages } from "../../../cli/command/feature.ts";

/** Manual of `mgr doctor`. */
export const DOCTOR_PAGES: Pages = {
  doctor: {
    about: `Checks the kernel, cgroups, limits and clock of this machine, the configuration, the state folder and the folder of sockets, free space, the
port, the certificate and, if the manager runs, the versions of all daemons. It changes nothing. Limits and cgroups are those that a
manager would have if this command started it. Each problem has a line that says what to do. See docs/doctor.md.`,
    json: "an array of {check, level, found, advice}; level is ok, warning or error, advice is null if there is nothing to do",
    examples: [
      ["mgr doctor", "before the first start, or when something is wrong"],
      ["mgr doctor --json | jq '.[] | select(.level != \"ok\")'", "problems only"],
    ],
    exitCodes: "1 if there is an error; warnings do not count",
  },
};
