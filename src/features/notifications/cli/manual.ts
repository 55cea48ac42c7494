import type { Pages } from "../../../cli/command/feature.ts";

/** Manual of `mgr notifications` and `mgr silence`. */
export const NOTIFICATION_PAGES: Pages = {
  notifications: {
    about: `The key 'notifications' of the configuration has ways (webhook, mail, command, browser, bell) and rules that say what is sent on them.
For each rule, the conditions that it applies to now are listed, with whether they were notified. See docs/notifications.md.`,
    json: "the fields of the frame 'notifications' (docs/protocol.md)",
    examples: [
      ["mgr notifications", "rules, and what they match now"],
      ["mgr notifications --history", "what was sent, newest first"],
    ],
  },
  "notifications test": {
    about: `The test is sent at once and is not tried again. The exit code is 1 if it could not be sent.`,
    examples: [["mgr notifications test team", "send a test on the way 'team'"]],
  },
  silence: {
    about: `PATTERN is a process, a group (with all subgroups), a host, an fnmatch pattern such as 'sim/*', or the processes with a tag: 'tag:sim'. What still lasts at the end of a silence is
notified then. Silences outlive the manager.`,
    json: "the new Silence (docs/protocol.md)",
    completes: { pattern: ["process", "group", "host"] },
    examples: [
      ["mgr silence sim --for 2h --reason 'new camera'", "hold back what is about the group sim"],
      ["mgr silence list", "list silences with their ids"],
      ["mgr silence remove 1f0c9a2b", "end one"],
    ],
  },
  "silence list": {
    about: "The one that ends first comes first.",
    json: "an array of Silence (docs/protocol.md)",
    examples: [["mgr silence list --json", "list silences for programs"]],
  },
  "silence remove": {
    about: "IDS are those that 'mgr silence list' shows.",
    examples: [["mgr silence remove 1f0c9a2b", "end a silence"]],
  },
};
