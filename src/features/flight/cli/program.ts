import { InvalidArgumentError } from "commander";
import type { CommandGroup } from "../../../cli/command/feature.ts";
import { connecting } from "../../../cli/command/option-values.ts";
import { parseDuration } from "../../../config/schema/units.ts";
import { MAX_SPAN_MS } from "../contract.ts";
import { FLIGHT_PAGES } from "./manual.ts";

/** Commands of the flight recorder. */
export const FLIGHT_GROUP: CommandGroup = {
  pages: FLIGHT_PAGES,
  add: (program) => {
    connecting(program.command("snapshot"))
      .description("keep what the flight recorders of all hosts have, in one MCAP file")
      .option("--note <text>", "why, shown with the incident")
      .option("--before <time>", "how far back, such as 30s", span, 30_000)
      .option("--after <time>", "how long to go on, such as 5s", span, 0)
      .option("-o, --output <file>", "also download the file")
      .option("--json", "as JSON")
      .action(async (flags) => (await import("./snapshot.ts")).snapshot(flags));

    const incidents = program.command("incidents").description("what the flight recorder kept around crashes and other triggers");
    connecting(incidents.command("list", { isDefault: true }))
      .description("list incidents, newest first")
      .option("--json", "as JSON")
      .action(async (flags) => (await import("./incidents.ts")).incidentsList(flags));
    connecting(incidents.command("show <id>"))
      .description("show triggers, hosts and what is missing")
      .option("--json", "as JSON")
      .action(async (id, flags) => (await import("./incidents.ts")).incidentShow(id, flags));
    connecting(incidents.command("save <id> [file]"))
      .description("download the MCAP file of an incident")
      .action(async (id, file, flags) => (await import("./incidents.ts")).incidentSave(id, file, flags));
    connecting(incidents.command("pin <ids...>"))
      .description("keep incidents until they are deleted")
      .action(async (ids, flags) => (await import("./incidents.ts")).incidentsPin(ids, true, flags));
    connecting(incidents.command("unpin <ids...>"))
      .description("let newer incidents take their place again")
      .action(async (ids, flags) => (await import("./incidents.ts")).incidentsPin(ids, false, flags));
    connecting(incidents.command("rm <ids...>"))
      .description("delete incidents with their files")
      .action(async (ids, flags) => (await import("./incidents.ts")).incidentsRemove(ids, flags));
    connecting(incidents.command("hosts"))
      .description("show what the flight recorder of each host holds, and how far the clocks are apart")
      .option("--json", "as JSON")
      .action(async (flags) => (await import("./incidents.ts")).flightHosts(flags));
  },
};

function span(text: string): number {
  const milliseconds = parseDuration(/^\d+$/.test(text) ? Number(text) : text);
  if (milliseconds === undefined || milliseconds > MAX_SPAN_MS)
    throw new InvalidArgumentError("expected a duration of at most 1h, such as 500ms, 30s or 2m.");
  return milliseconds;
}
