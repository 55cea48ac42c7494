import { z } from "zod";
import { flag, text } from "../frames/field-kinds.ts";
import { clientFrames, managerFrames, result } from "../frames/frame-table.ts";

const configFileProblem = z
  .object({ path: z.string().describe("The file."), line: z.int(), column: z.int(), message: z.string() })
  .meta({ id: "ConfigFileProblem", description: "Line and column count from 1; 0 is unknown." });
export type ConfigFileProblem = z.infer<typeof configFileProblem>;

const path = text(1, 4_096).describe("A file of the configuration.");
const MAX_CONTENT = 1_048_576;

export const configCommands = clientFrames("Configuration", {
  reload_config: {
    fields: { dry_run: flag.describe("Only tell what would change; default false.").exactOptional() },
    answer: "config_reload_result",
    scope: "global",
    meaning: "Reads the configuration again. Running processes keep running; a bad file changes nothing.",
  },
  request_plan: { fields: {}, answer: "plan", scope: "global", meaning: "What a reload would change." },
  request_config_file: {
    fields: { path: path.describe("Default: the main file.").exactOptional() },
    answer: "config_file",
    scope: "global",
    meaning: "Text of a configuration file.",
  },
  save_config_file: {
    fields: {
      path,
      content: text(0, MAX_CONTENT),
      base_hash: text(1, 128).describe("Hash of the text that was edited; another one on disk is a `conflict`.").exactOptional(),
    },
    answer: "config_file_saved",
    scope: "global",
    meaning: "Checks a configuration file, then replaces it atomically.",
  },
});

const names = z.array(z.string());
const problems = z.array(configFileProblem);
const changes = { added: names, removed: names, changed: names };

// Fields that stand on both sides are always in a success, and in a failure where there is something to tell.
export const configFrames = managerFrames("Configuration", {
  config_reload_result: result(
    { problems: problems.exactOptional() },
    { ...changes, problems, unchanged: names, restart_needed: names.describe("Running processes whose definition changed.") },
    "What a reload changed.",
  ),
  plan: result({ problems: problems.exactOptional() }, { ...changes, problems }, "What a reload would change."),
  config_file: result(
    { path: z.string().exactOptional() },
    {
      path: z.string(),
      content: z.string(),
      hash: z.string(),
      files: z.array(z.object({ path: z.string(), size: z.int(), writable: z.boolean() })).describe("All files of the configuration."),
    },
    "Text of a configuration file.",
  ),
  config_file_saved: result(
    { path: z.string(), problems: problems.exactOptional() },
    { hash: z.string(), problems },
    "A configuration file was saved, or not.",
  ),
});
