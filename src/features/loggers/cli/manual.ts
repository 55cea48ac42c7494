import type { Pages } from "../../../cli/command/feature.ts";

const LOGGERS = "NAMES are loggers, the first parts of their names, or fnmatch patterns.";

/** Manual of `mgr logger`. */
export const LOGGER_PAGES: Pages = {
  logger: {
    about: `A logger keeps the last samples of topics in the memory of their publishers' hosts. See 'mgr logger COMMAND --help' and docs/recordings.md.`,
    examples: [["mgr logger list", "all loggers"]],
  },
  "logger list": {
    about: `${LOGGERS} SAMPLES are those that are held now. A topic is active while a host receives it.`,
    json: "an array of loggers (docs/protocol.md, 'DaemonLogger')",
    completes: { names: ["logger"] },
    examples: [["mgr logger list", "all loggers and their topics"]],
  },
  "logger configure": {
    about: `TOPICS are names, which need not be published yet, or fnmatch patterns for topics that are published now. Without --add they replace
the logger's topics. Stop a logger that runs before you change it.`,
    completes: { name: ["logger"], topics: ["topic"] },
    examples: [
      ["mgr logger configure arm 'arm/*' --log-size 50000", "all topics of the arm"],
      ["mgr logger configure arm camera/left --log-size 100 --divisor 10 --add", "one topic more, every tenth sample"],
    ],
    exitCodes: "1 if the logger runs",
  },
  "logger start": { about: LOGGERS, completes: { names: ["logger"] }, examples: [["mgr logger start arm", "keep samples"]] },
  "logger stop": { about: LOGGERS, completes: { names: ["logger"] }, examples: [["mgr logger stop arm", "keep what is there"]] },
  "logger delete": {
    about: "NAMES are exact names. Their samples are gone, without a question.",
    completes: { names: ["logger"] },
    examples: [["mgr logger delete arm", "remove a logger"]],
  },
  "logger download": {
    about: `pickle loads in Python, matlab (or mat) in MATLAB, Octave and SciPy, csv is a zip with a file for each topic, raw is a tar of binary records
(docs/recordings.md). The default name of FILE is the manager's. An incomplete file is removed.`,
    completes: { name: ["logger"] },
    examples: [
      ["mgr logger download arm --format matlab arm.mat", "save the samples"],
      ["mgr logger download arm --stop", "stop first, so that the file ends with the last sample"],
    ],
  },
};
