import { z } from "zod";
import { objectName, timestamp } from "../../protocol/frames/field-kinds.ts";
import { answer, change, clientFrames, managerFrames } from "../../protocol/frames/frame-table.ts";

const parameter = z
  .object({ name: z.string().describe("`<name>` or `<service>:<name>`."), value: z.string() })
  .meta({ id: "ModeParameter", description: "A parameter that a mode overrides." });

const activeMode = z
  .object({
    since: timestamp.describe("When the switch to it was requested."),
    by: z.string().describe("Who requested it: a user, or a mode that fell back on it."),
    step: z.enum(["stopping", "parameters", "starting"]).nullable().describe("What the switch to it is doing; null: the switch is over."),
    failed: z.string().nullable().describe("The essential process whose failure made the manager switch to it; null: a user did."),
    problems: z.array(z.string()).describe("What the switch could not do, each a sentence without a full stop."),
  })
  .meta({ id: "ActiveMode", description: "The last switch, in the mode that it is about." });
export type ActiveMode = z.infer<typeof activeMode>;

const mode = z
  .object({
    name: z.string(),
    start: z.array(z.string()).describe("Names of the processes that it starts."),
    stop: z.array(z.string()).describe("Names of the processes that it stops."),
    parameters: z.array(parameter),
    preset: z.string().nullable().describe("The preset of parameters that it loads; null: none."),
    active: activeMode.nullable().describe("Null: another mode was switched to last, or none."),
    fallback: z.string().nullable().describe("The mode to switch to when an essential process of this one has failed; null: none."),
  })
  .meta({ id: "Mode", description: "A configured mode. Its processes are those that its words select now." });
export type Mode = z.infer<typeof mode>;

export const modeCommands = clientFrames("Modes", {
  plan_mode: {
    fields: { name: objectName.describe("Name of a mode.") },
    answer: "mode_plan",
    scope: "owned",
    role: "viewer",
    readOnly: true,
    meaning: "What a switch to a mode would do now.",
  },
  switch_mode: {
    fields: { name: objectName.describe("Name of a mode.") },
    answer: null,
    scope: "owned",
    role: "operator",
    meaning:
      "Switches to a mode: stops processes, sets parameters, then starts processes. Needs the role on all processes that it may start or stop; on everything if it sets parameters. A switch that is under way is given up. `modes_update` shows the progress.",
  },
});

export const modeFrames = managerFrames("Modes", {
  mode_plan: answer(
    {
      name: z.string(),
      stops: z.array(z.string()).describe("Names of the processes that would stop, those that stop with them included."),
      starts: z.array(z.string()).describe("Names of the processes that would start, those that they need included."),
      confirm: z.array(z.string()).describe("Those of `stops` that are configured to be confirmed."),
      parameters: z.array(parameter).describe("The values of its preset, too, as far as its file can be read."),
    },
    "What a switch to a mode would do.",
  ),
  modes_update: change(
    { modes: z.array(mode) },
    "The active mode, the progress of a switch or the configured modes have changed.",
    () => "modes",
  ),
});

/** Empty on a connection that does not have everything in view. */
export const modeSnapshot = { modes: z.array(mode) };
