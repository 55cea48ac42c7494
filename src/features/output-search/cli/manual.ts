import type { Pages } from "../../../cli/command/feature.ts";

export const GREP_PAGES: Pages = {
  grep: {
    about: `NAMES are names of processes, groups (their processes) or patterns with *, ? and [a-z]. The hosts search what they have in memory, and the
log file of a process with its rotated files. Colours are ignored: a coloured word is found, too. Ctrl-C ends the search at the hosts.
Each host searches for at most 10 s of processor time. Limits that were reached and hosts that did not answer are named on stderr.
A regular expression cannot have look-around and back-references: its time is linear in the length of the output.`,
    json: "one object per line: name, host, run, place, file, time, line, is_cut, match, before, after (docs/protocol.md, search_output_hits)",
    exitCodes: "here 0 is hits, 1 none, 2 any error or a host that did not answer",
    completes: { names: ["process", "group"] },
    examples: [
      ["mgr grep 'connection lost'", "in the output of all processes"],
      ["mgr grep -i error 'sim/*' --since 1h", "in a group, of the last hour, in upper or lower case"],
      ["mgr grep -E 'took [0-9]{4,} ms' -C 2", "a regular expression, with two lines around each hit"],
      ["mgr grep --json panic | jq .host", "for programs"],
    ],
  },
};
