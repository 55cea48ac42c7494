import type { Pages } from "../../../cli/command/feature.ts";

/** Manual of `mgr snapshot` and `mgr incidents`. */
export const FLIGHT_PAGES: Pages = {
  snapshot: {
    about: `Needs 'flight:' in the configuration. Waits until the incident is complete, then prints its id, size, hosts and what is missing. A host that is
not connected adds its part later. See docs/flight.md.`,
    json: "the incident (docs/protocol.md, 'Incident')",
    examples: [
      ["mgr snapshot --note 'arm vibrates'", "keep the last 30 s of all hosts"],
      ["mgr snapshot --before 1m --after 5s -o odd.mcap", "a longer time, and download it"],
    ],
    exitCodes: "1 if the flight recorder is off, or the manager cannot write the file",
  },
  incidents: {
    about:
      "An incident is one MCAP file with what all hosts recorded around a trigger: topics, terminals, states, the log. See docs/flight.md.",
    examples: [["mgr incidents", "list them"]],
  },
  "incidents list": {
    about: "MISSING counts what is not in the file; 'mgr incidents show ID' says it.",
    json: "an array of incidents (docs/protocol.md, 'Incident')",
    examples: [["mgr incidents list", "all incidents"]],
  },
  "incidents show": {
    about: "ID is the id of an incident, or the beginning of one only.",
    json: "the incident (docs/protocol.md, 'Incident')",
    completes: { id: ["incident"] },
    examples: [["mgr incidents show 20261127-0201", "triggers, hosts, what is missing"]],
  },
  "incidents save": {
    about: "The default of FILE is the id with .mcap. An existing file is not overwritten.",
    completes: { id: ["incident"] },
    examples: [["mgr incidents save 20261127-0201 crash.mcap", "download the file"]],
  },
  "incidents pin": {
    about: "Incidents that are pinned do not count for 'keep' and 'max_size' of 'flight'.",
    completes: { ids: ["incident"] },
    examples: [["mgr incidents pin 20261127-0201", "keep an incident"]],
  },
  "incidents unpin": {
    about: "The oldest ones are deleted at once if there are more than 'keep' or 'max_size' of 'flight' allow.",
    completes: { ids: ["incident"] },
    examples: [["mgr incidents unpin 20261127-0201", "no longer keep an incident"]],
  },
  "incidents rm": {
    about: "IDS are deleted without a question, also those that are pinned. Hosts delete what they still have of them.",
    completes: { ids: ["incident"] },
    examples: [["mgr incidents rm 20261127-0201", "delete an incident"]],
  },
  "incidents hosts": {
    about: "OFFSET is the clock of the host minus that of the manager; the true one differs by what is behind ± at most.",
    json: "{hosts, away} (docs/protocol.md, 'FlightHost')",
    examples: [["mgr incidents hosts", "memory, age and clocks"]],
  },
};
