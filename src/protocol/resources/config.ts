import { z } from "zod";
import { flag, text, timestamp } from "../frames/field-kinds.ts";
import { clientFrames, managerFrames, result } from "../frames/frame-table.ts";

const configFileProblem = z
  .object({ path: z.string().describe("The file."), line: z.int(), column: z.int(), message: z.string() })
  .meta({ id: "ConfigFileProblem", description: "Line and column count from 1; 0 is unknown." });
export type ConfigFileProblem = z.infer<typeof configFileProblem>;

const difference = z
  .object({
    name: z.string().describe("The process."),
    key: z.string().describe("Key of the configuration, such as `restart.delay`."),
    from: z.string().nullable().describe("Its value as text, cut after 200 characters; null: not set. Secrets are `***`."),
    to: z.string().nullable(),
  })
  .meta({ id: "ConfigDifference", description: "What a reload changes in a process." });

const hostChange = z
  .object({
    name: z.string().describe("The host."),
    change: z.enum(["added", "removed", "changed"]),
    keys: z.array(z.string()).describe("Of a changed host: keys that differ; `token` is the content of its `token_file`."),
  })
  .meta({ id: "HostChange", description: "What a reload changes in a host." });

const configVersion = z
  .object({
    hash: z.string(),
    time: timestamp.describe("When the manager saw this text first."),
    by: z.string().nullable().describe("User who saved it; null: another program wrote it."),
    size: z.int().describe("Bytes."),
  })
  .meta({ id: "ConfigVersion", description: "A text that a configuration file had." });

const effectiveHash = z
  .string()
  .nullable()
  .describe(
    "Hash of the text that is in effect: that of the last reload, or of the start of the manager. Null: the file was not part of it.",
  );

const path = text(1, 4_096).describe("A file of the configuration.");
const MAX_CONTENT_CHARS = 1_048_576;

export const configCommands = clientFrames("Configuration", {
  reload_config: {
    fields: { dry_run: flag.describe("Only report what would change; default false.").exactOptional() },
    answer: "config_reload_result",
    scope: "global",
    role: "admin",
    meaning: "Reads the configuration again. Running processes keep running; a bad file changes nothing.",
  },
  request_plan: { fields: {}, answer: "plan", scope: "global", role: "admin", readOnly: true, meaning: "What a reload would change." },
  request_config_file: {
    fields: {
      path: path.describe("Default: the main file.").exactOptional(),
      hash: text(1, 128).describe("Of an earlier version, as `config_history` lists them; default: the text on disk.").exactOptional(),
    },
    answer: "config_file",
    scope: "global",
    role: "admin",
    readOnly: true,
    meaning: "Text of a configuration file.",
  },
  request_config_history: {
    fields: { path: path.describe("Default: the main file.").exactOptional() },
    answer: "config_history",
    scope: "global",
    role: "admin",
    readOnly: true,
    meaning: "Earlier versions of a configuration file.",
  },
  check_config_file: {
    fields: { path, content: text(0, MAX_CONTENT_CHARS) },
    answer: "config_file_checked",
    scope: "global",
    role: "admin",
    readOnly: true,
    meaning: "Checks a text for a configuration file, with all other files of the configuration, and changes nothing.",
  },
  save_config_file: {
    fields: {
      path,
      content: text(0, MAX_CONTENT_CHARS),
      base_hash: text(1, 128).describe("Hash of the text that was edited; another one on disk is a `conflict`.").exactOptional(),
    },
    answer: "config_file_saved",
    scope: "global",
    role: "admin",
    secrets: ["content"],
    meaning: "Checks a configuration file, then replaces it atomically.",
  },
});

const names = z.array(z.string());
const problems = z.array(configFileProblem);
const changes = {
  added: names,
  removed: names,
  changed: names,
  starts: names.describe("Processes that the reload starts."),
  stops: names.describe("Processes that the reload stops: they are removed."),
  differences: z.array(difference).describe("Of changed processes; at most 5,000."),
  hosts: z.array(hostChange),
  settings: names.describe(
    "Keys such as `flight` and `instance.start_tools`, other than processes and hosts, that differ; the reload applies them.",
  ),
  manager_restart_needed: names.describe(
    "Keys such as `instance.state_dir` that differ from what the manager runs with: its next start applies them.",
  ),
};

// Fields on both sides are in every success, and in failures for which they are known.
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
      effective_hash: effectiveHash,
      files: z.array(z.object({ path: z.string(), size: z.int(), writable: z.boolean() })).describe("All files of the configuration."),
    },
    "Text of a configuration file.",
  ),
  config_history: result(
    { path: z.string().exactOptional() },
    {
      path: z.string(),
      hash: z.string().describe("Of the text on disk."),
      effective_hash: effectiveHash,
      versions: z.array(configVersion).describe("Kept texts, the newest first: at most 30 of a file, and 16 MiB of all files."),
    },
    "Earlier versions of a configuration file.",
  ),
  config_file_checked: result(
    { path: z.string(), problems: problems.exactOptional() },
    { problems },
    "What `mgr check` would say if the file had this text: `ok` is false if there are problems.",
  ),
  config_file_saved: result(
    { path: z.string(), problems: problems.exactOptional() },
    { hash: z.string(), problems },
    "A configuration file was saved, or not.",
  ),
});
