import type { Pages } from "../../../cli/command/feature.ts";

/** Manual of `mgr audit`. */
export const AUDIT_PAGES: Pages = {
  audit: {
    about: `Shows the commands that change something, oldest first. NAMES are processes, groups (with all subgroups), other objects, or fnmatch
patterns such as 'sim/*'; without NAMES everything is shown, log-ins, starts and ends of the manager too. Over the local socket it is for the
manager's own user and root, over the network for admins: --user chooses whose commands are shown, --login who asks. See docs/audit.md.`,
    json: "one AuditEntry (docs/protocol.md) a line, oldest first",
    completes: { names: ["process", "group"] },
    examples: [
      ["mgr audit", "the newest commands"],
      ["mgr audit --user ada --since 2h", "what a user did in the last two hours"],
      ["mgr audit --command 'stop_*' 'sim/*'", "who stopped processes of a group"],
    ],
  },
  "audit verify": {
    about: `Reads the records on this machine, whether the manager runs or not, and checks their chain: each record has an HMAC of itself and of the
one before it. It reports each record that was changed, and each place where records were removed, added or moved. It cannot notice that the
newest records were removed, nor changes by a user who can read the key: docs/audit.md says how syslog helps.`,
    json: "the result with its problems: files, records, first, last, cuts, lost, endsInLine, problems, problemCount",
    exitCodes: "1: the chain is broken",
    examples: [
      ["mgr audit verify", "the records of the configuration in this folder"],
      ["mgr audit verify --folder /backup/audit", "those in a folder"],
    ],
  },
};
