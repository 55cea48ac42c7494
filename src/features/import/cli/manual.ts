import type { Pages } from "../../../cli/command/feature.ts";

/** Manual of `mgr import`. */
export const IMPORT_PAGES: Pages = {
  import: {
    about: `PATH is a file of process-compose, Docker Compose, supervisord (with the files that it includes), pm2 (JSON, YAML, JavaScript with
--run-javascript), a Procfile, a systemd unit, or a folder with one of them. The configuration passes 'mgr check'. Its comments name where
each process comes from, what was guessed, and what was not carried over. The report on stderr lists the same, with file, line, reason and
what to do instead. Nothing of the imported file runs, except for JavaScript if you allow it. See docs/import.md.`,
    json: "{kind, files, processes: names, carried: [{key, place: {file, line}, process, to}], guessed: [… and why], dropped: [{key, place, process, why, instead}], configuration: text or null}",
    examples: [
      ["mgr import supervisord.conf -o mgr.yaml", "write a configuration"],
      ["mgr import --check compose.yaml", "what would be carried over, and what not"],
      ["mgr import /etc/systemd/system --from systemd > mgr.yaml", "the services of a folder"],
    ],
    exitCodes: "1 if nothing could be imported",
  },
};
