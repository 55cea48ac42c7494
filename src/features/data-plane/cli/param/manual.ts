import type { Pages } from "../../../../cli/command/feature.ts";

const PARAMETER = "NAME is the name of a parameter, or SERVICE:NAME if several programs have one of that name.";

/** Manual of `mgr param`. */
export const PARAM_PAGES: Pages = {
  param: {
    about: "A program sets the input of a parameter; while an override is enabled, the override is in effect. See docs/clients.md.",
    examples: [["mgr param list", "parameters of all programs"]],
  },
  "param list": {
    about: `PATTERN is an fnmatch pattern for NAME or SERVICE:NAME. VALUE is in effect: the override if there is one, else the input of the program.
Programs that do not answer are named on stderr, and the exit code is 1.`,
    json: "an array of parameters (docs/protocol.md, 'Parameter')",
    completes: { pattern: ["parameter"] },
    examples: [
      ["mgr param list '*gain*'", "parameters whose name has 'gain'"],
      ["mgr param list 'arm/controller/parameters:*'", "parameters of one program"],
    ],
  },
  "param get": {
    about: PARAMETER,
    json: "the parameter (docs/protocol.md, 'Parameter')",
    completes: { name: ["parameter"] },
    examples: [["mgr param get gain", "the value that is in effect"]],
  },
  "param set": {
    about: `${PARAMETER} The program checks type and range. The override lasts until it is cleared or the program ends.`,
    completes: { name: ["parameter"] },
    examples: [["mgr param set gain 2.5", "override a parameter"]],
    exitCodes: "2 if the program does not accept the value",
  },
  "param clear": {
    about: `${PARAMETER} The program's own values are in effect again. If one of the names is unknown, nothing is changed.`,
    completes: { names: ["parameter"] },
    examples: [["mgr param clear gain limit", "end two overrides"]],
  },
  "param dump": {
    about: "Services, their parameters, and for each the override as text, or null if it is not overridden.",
    json: "{SERVICE: {NAME: value or null}}",
    completes: { pattern: ["parameter"] },
    examples: [["mgr param dump > overrides.yaml", "save all overrides"]],
  },
  "param load": {
    about: `Sets the overrides of the file, and clears those that are null in it. Parameters that are not in the file stay as they are. Parameters of
the file that do not exist are named on stderr, and the exit code is 1.`,
    examples: [["mgr param load overrides.yaml", "restore overrides"]],
  },
  "param diff": {
    about: "Only parameters that are in the file are compared.",
    json: "an array of {parameter, file, now, exists}; null: not overridden",
    examples: [["mgr param diff overrides.yaml", "what differs from the file"]],
    exitCodes: "1 if there are differences",
  },
};
