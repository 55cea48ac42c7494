import { dirname, resolve } from "node:path";
import { applyRules, Conversion, drop, type Rules } from "../../model/conversion.ts";
import { ImportFailure, UnfitValue } from "../../model/failure.ts";
import { MAX_COPIES } from "../../model/result.ts";
import { asMap, type Tree, withTexts, yamlTree } from "../../model/tree.ts";
import { flag, Paths, text, variables } from "../../model/values.ts";
import { type Convert, dotenvBeside, type ImportContext, interpolated } from "../kind.ts";
import { PROCESS_RULES, ProcessConversion, replicasOf } from "./keys.ts";

/** Imports a file of process-compose. */
export const convertProcessCompose: Convert = async (path, context) => {
  const raw = yamlTree(await context.files.read(path), context.files.nameOf(path));
  const dotenv = await dotenvBeside(path, context);
  const isExpanded = asMap(raw).get("disable_env_expansion");
  const scope = { environment: context.environment, file: dotenv ?? {} };
  const tree = isExpanded !== undefined && flag(isExpanded) ? raw : interpolated(raw, scope, context);
  const paths = new Paths(dirname(resolve(path)), context.target);
  const envFiles = dotenv === null ? [] : [paths.moved(".env")];
  const file = { paths, envFiles, shell: shellOf(tree) };
  const { result } = context;
  const whole = new Conversion(result, result.defaults, asMap(tree));
  applyRules(tree, FILE_RULES, whole, { path: "" });
  if (envFiles.length > 0) result.defaults.set("env_file", envFiles);
  const shared = asMap(asMap(tree).get("vars") ?? { place: tree.place, value: null });
  const processes = asMap(tree).get("processes");
  if (processes === undefined || asMap(processes).size === 0) throw new ImportFailure(`${context.files.nameOf(path)} has no processes`);
  for (const [name, process] of asMap(processes)) convertProcess({ name, process, shared }, file, context);
};

const FILE_RULES: Rules<Conversion> = {
  version: () => {},
  processes: () => {},
  vars: () => {},
  shell: () => {},
  disable_env_expansion: () => {},
  name: (entry, context) => {
    context.result.instanceName = text(entry.tree);
    context.carried(entry, "instance.name");
  },
  environment: (entry, context) => {
    for (const { name, value } of variables(entry.tree)) context.draft.variable(name, value ?? "");
    context.carried(entry, "defaults.environment");
  },
  log_location: drop("mgr has no log file with the output of all processes", "set log_file of each process, or use: mgr logs"),
  log_level: drop("it is the log level of process-compose itself"),
  log_length: drop("mgr keeps 4 MiB of output of each process", "set defaults.terminal.backlog"),
  log_configuration: drop("mgr has no log file with the output of all processes", "set log_file of each process"),
  log_format: drop("mgr has no log file with the output of all processes"),
  extends: drop("other files are not merged", "import the merged file, or import both"),
  env_cmds: drop("mgr does not run commands for values of variables", "set the variables before mgr up, or in the command of the process"),
  mcp_server: drop("processes are no tools for agents"),
  is_strict: () => {},
  is_tui_disabled: () => {},
  ordered_shutdown: () => {},
  disable_ansi_colors: () => {},
};

interface Source {
  readonly name: string;
  readonly process: Tree;
  /** Values for templates of all processes. */
  readonly shared: ReadonlyMap<string, Tree>;
}

function convertProcess(
  { name, process, shared }: Source,
  file: Pick<ProcessConversion, "paths" | "shell" | "envFiles">,
  context: ImportContext,
): void {
  const { result } = context;
  const keys = asMap(process);
  const namespace = keys.get("namespace");
  const group = namespace === undefined || text(namespace) === "default" ? "" : `${text(namespace)}/`;
  const key = `processes.${name}`;
  const own = new Map([...shared, ...asMap(keys.get("vars") ?? { place: process.place, value: null })]);
  const copies = copiesOf(keys.get("replicas"), `${key}.replicas`, context);
  for (let copy = 0; copy < copies; copy++) {
    const templated = withTemplates(process, own, String(copy));
    const draft = result.add(`${group}${name}${copies === 1 ? "" : `/${copy}`}`, name, key, process.place);
    // Copies have the same keys: only the first one reports them.
    const isFirst = copy === 0;
    const findings = isFirst ? null : [result.findings.carried.length, result.findings.guessed.length, result.findings.dropped.length];
    draft.begin(file.paths);
    applyRules(templated, PROCESS_RULES, new ProcessConversion({ result, draft, section: keys }, file), { path: key });
    if (findings !== null) {
      const { carried, guessed, dropped } = result.findings;
      for (const [index, list] of [carried, guessed, dropped].entries()) list.length = findings[index] ?? 0;
    }
    if (copies > 1) draft.variable("PC_REPLICA_NUM", String(copy));
    if (String(draft.get("command")).includes("{{")) draft.note("command", "guess: has a Go template, which is not evaluated");
  }
}

function copiesOf(tree: Tree | undefined, key: string, { result }: ImportContext): number {
  if (tree === undefined) return 1;
  const drop = (why: string) => {
    result.findings.dropped.push({ key, place: tree.place, process: null, why, instead: "copy the process by hand" });
    return 1;
  };
  try {
    const copies = replicasOf({ name: "replicas", key, place: tree.place, tree });
    return copies > MAX_COPIES ? drop(`more than ${MAX_COPIES} copies are not imported`) : copies;
  } catch (error) {
    if (!(error instanceof UnfitValue)) throw error;
    return drop(error.message);
  }
}

/** Replaces `{{.NAME}}` by variables of the file, and `{PC_REPLICA_NUM}` in names of log files. */
function withTemplates(tree: Tree, values: ReadonlyMap<string, Tree>, copy: string): Tree {
  const replaced = (written: string) =>
    written
      .replace(/\{\{-?\s*\.(\w+)\s*-?\}\}/g, (all, name: string) => {
        if (name === "PC_REPLICA_NUM") return copy;
        const value = values.get(name);
        return value === undefined ? all : text(value);
      })
      .replaceAll("{PC_REPLICA_NUM}", copy);
  return withTexts(tree, (value, { now }) => ({ value: replaced(value), ...(now === undefined ? {} : { now: replaced(now) }) }));
}

function shellOf(tree: Tree): ProcessConversion["shell"] {
  const shell = asMap(asMap(tree).get("shell") ?? tree);
  const command = shell.get("shell_command");
  const argument = shell.get("shell_argument");
  return command === undefined ? null : { command: text(command), argument: argument === undefined ? "-c" : text(argument) };
}
