import type { Pages } from "../../../cli/command/feature.ts";

export const RUNS_PAGES: Pages = {
  runs: {
    about: `The manager knows the last 20 runs of each process. OUTPUT is what a run printed in all, whether it is still kept or not. Times are local.
mgr logs NAME --run N prints the output of one run, mgr save-output saves it.`,
    json: "an array, newest first: number, run_id, pid, start_time, stop_time, code, signal, reason, seconds, output_bytes, cause, next",
    completes: { name: ["process"] },
    examples: [
      ["mgr runs sim/world", "the last runs"],
      ["mgr runs sim/world --json | jq '.[0].code'", "for programs: the exit code of the newest run"],
    ],
  },
  "save-output": {
    about: `Saves what the host has in memory. Bytes that newer output replaced meanwhile are named in the file. A group becomes a zip with one file for
each process, in folders as the names have them.`,
    completes: { name: ["process", "group"] },
    examples: [
      ["mgr save-output sim/world", "as text, without colours, under the name that the manager gives"],
      ["mgr save-output sim/world crash.txt --run -1", "only the run before the newest one"],
      ["mgr save-output sim all.zip", "a group, as a zip"],
      ["mgr save-output --raw sim/world - | less -R", "with colours, to stdout"],
    ],
  },
};
