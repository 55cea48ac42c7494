import type { Pages } from "../../../cli/command/feature.ts";

const RECORDINGS = "NAMES are recordings, the first parts of their names, or fnmatch patterns.";
const FILE = "An argument that ends in .mcap is a file of this machine, for which no manager is needed.";

/** Manual of `mgr record`. */
export const RECORD_PAGES: Pages = {
  record: {
    about: `A recording writes topics to MCAP files on the hosts of their publishers, until it is stopped; also without a manager.
See 'mgr record COMMAND --help' and docs/recordings.md.`,
    examples: [["mgr record start run1 'arm/*'", "record some topics"]],
  },
  "record start": {
    about: `TOPICS are names or fnmatch patterns; topics that are published later are recorded too. What is left out is as in 'record' of
the configuration: by default all topics, files of 1 GiB or one hour, at most 10 on each host. A recording that exists gets more files.`,
    completes: { name: ["recording"], topics: ["topic"], "--terminal": ["process"] },
    examples: [
      ["mgr record start run1", "all topics"],
      ["mgr record start run1 'arm/*' --terminal 'sim/*' --include processes,log", "also output, states and the manager's log"],
      ["mgr record start box --max-duration 10m --max-files 6 --delete-oldest", "always the last hour"],
    ],
    exitCodes: "1 if the recording runs already, or no host can record",
  },
  "record stop": {
    about: `${RECORDINGS} Without NAMES it lists the recordings and stops none.`,
    completes: { names: ["recording"] },
    examples: [["mgr record stop run1", "end a recording and complete its files"]],
  },
  "record list": {
    about: `${RECORDINGS} DURATION is from the first to the last message in files. LOST counts messages that did not reach the recording
(missed) or the disk (dropped).`,
    json: "an array of recordings (docs/protocol.md, 'Recording')",
    completes: { names: ["recording"] },
    examples: [["mgr record list", "all recordings of all hosts"]],
  },
  "record info": {
    about: `Counters of topics are of the time since the recording was started; 'mgr record info FILE.mcap' tells those of a file, from its index.
${FILE}`,
    json: "the recording (docs/protocol.md, 'Recording'); of a file: {file, size, start_time, end_time, messages, is_repaired, topics, metadata}",
    completes: { name: ["recording"] },
    examples: [
      ["mgr record info run1", "topics and files"],
      ["mgr record info run1.mcap", "what is in a file"],
    ],
  },
  "record export": {
    about: `mcap copies the files as they are: one file, or a folder if there are several. With --merge, or if FILE ends in .mcap, it is one file
with the messages of all hosts in the order of time, and the clocks of the hosts put right. The other formats put the samples of all files into one, too:
csv is a zip with a file for each topic, pickle loads in Python, matlab (or mat) in MATLAB, Octave and SciPy, raw is a tar of binary records (docs/recordings.md).
A recording that runs can be exported, too: up to what is on the disk. Nothing is overwritten. ${FILE}`,
    completes: { name: ["recording"], "--topic": ["topic"], "--host": ["host"] },
    examples: [
      ["mgr record export run1", "its files"],
      ["mgr record export run1 run1.mcap", "all of it in one file"],
      ["mgr record export run1 --format csv --topic 'arm/*'", "run1.zip, with some topics"],
      ["mgr record export run1.mcap run1.mat --format matlab", "convert a file"],
    ],
    exitCodes: "3 if there is nothing to export",
  },
  "record delete": {
    about: "NAMES are exact names of recordings that have ended. Their files are removed from all hosts, without a question.",
    completes: { names: ["recording"], "--host": ["host"] },
    examples: [["mgr record delete run1", "remove a recording"]],
  },
};
