import { hostname } from "node:os";
import { dirname, resolve } from "node:path";
import { MgrError } from "../../../../../base/errors.ts";
import { filesMatching } from "../../../../../config/load/glob.ts";
import { applyRules, type Conversion, drop, type Rule, type Rules } from "../../model/conversion.ts";
import { ImportFailure, UnfitValue } from "../../model/failure.ts";
import { MAX_COPIES } from "../../model/result.ts";
import type { Tree } from "../../model/tree.ts";
import { Paths } from "../../model/values.ts";
import type { Convert, ImportContext } from "../kind.ts";
import { pythonFormat } from "./format.ts";
import { type IniSection, parseIni } from "./ini.ts";
import { environment, PROGRAM_RULES, ProgramConversion, setRestart, UNNEEDED, umask } from "./keys.ts";

interface Section extends IniSection {
  /** Folder of the file that contains it. */
  readonly folder: string;
}

/** Imports a configuration of supervisord, with the files that it includes. */
export const convertSupervisord: Convert = async (path, context) => {
  const sections = await readSections(resolve(path), context);
  const paths = new Paths(dirname(resolve(path)), context.target);
  const groups = groupsOf(sections, context);
  for (const section of sections) {
    const [type = "", name = ""] = section.name.split(/:(.*)/s);
    if (type === "program") convertProgram({ name: name.trim(), section, group: groups.get(name.trim()) ?? null, paths }, context);
    else if (type === "supervisord") convertOwn(section, paths, context);
    else if (type !== "group" && type !== "include") dropSection(section, context);
  }
  if (!sections.some(({ name }) => name.startsWith("program:")))
    throw new ImportFailure(`${context.files.nameOf(path)} has no [program:…]`);
};

async function readSections(path: string, context: ImportContext): Promise<Section[]> {
  const folder = dirname(path);
  const sections = parseIni(await context.files.read(path), context.files.nameOf(path)).map((section) => ({ ...section, folder }));
  const files = sections.find(({ name }) => name === "include")?.entries.get("files");
  if (files === undefined) return sections;
  const patterns = pythonFormat(files.value, lookup({ here: folder, host_node_name: hostname() }, context)).split(/\s+/);
  const included: Section[] = [];
  for (const pattern of patterns.filter((each) => each !== "")) {
    for (const file of await matching(pattern, folder, `${files.place.file}:${files.place.line}`)) {
      const inner = parseIni(await context.files.read(file), context.files.nameOf(file));
      included.push(...inner.map((section) => ({ ...section, folder: dirname(file) })));
    }
  }
  return [...sections, ...included];
}

async function matching(pattern: string, folder: string, where: string): Promise<string[]> {
  try {
    return await filesMatching(pattern, folder);
  } catch (error) {
    if (error instanceof MgrError) throw new ImportFailure(`${where}: files=${pattern} ${error.message}`);
    throw error;
  }
}

/** Program → its group. */
function groupsOf(sections: readonly Section[], { result }: ImportContext): Map<string, string> {
  const groups = new Map<string, string>();
  for (const { name, place, entries } of sections.filter((each) => each.name.startsWith("group:"))) {
    const group = name.slice("group:".length).trim();
    for (const program of (entries.get("programs")?.value ?? "").split(/[\s,]+/)) if (program !== "") groups.set(program, group);
    result.findings.carried.push({
      key: `${name}.programs`,
      place: entries.get("programs")?.place ?? place,
      process: null,
      to: "the names of the processes",
    });
    const priority = entries.get("priority");
    if (priority !== undefined)
      result.findings.dropped.push({
        key: `${name}.priority`,
        place: priority.place,
        process: null,
        why: "there are no priorities",
        instead: "depends_on",
      });
  }
  return groups;
}

interface Program {
  readonly name: string;
  readonly section: Section;
  readonly group: string | null;
  readonly paths: Paths;
}

function convertProgram({ name, section, group, paths }: Program, context: ImportContext): void {
  const { result } = context;
  const tree = treeOf(section);
  const { count, first, processName } = copiesOf(section, context);
  for (let copy = 0; copy < count; copy++) {
    const values = {
      here: section.folder,
      program_name: name,
      group_name: group ?? name,
      host_node_name: hostname(),
      process_num: first + copy,
      numprocs: count,
    };
    const expand = (text: string) => pythonFormat(text, lookup(values, context));
    const own = expandedName(processName, expand, name);
    const folder = group ?? (count > 1 ? name : null);
    const draft = result.add(folder === null ? own : `${folder}/${own}`, name, `[${section.name}]`, section.place);
    draft.begin(paths);
    const conversion = new ProgramConversion({ result, draft, section: tree.value }, { paths, expand });
    const { carried, guessed, dropped } = result.findings;
    const before = [carried.length, guessed.length, dropped.length];
    try {
      setRestart(conversion);
    } catch (error) {
      // The option that is wrong is reported with its rule.
      if (!(error instanceof UnfitValue)) throw error;
    }
    applyRules(tree, PROGRAM_RULES, conversion, { path: section.name, fallback: otherOption });
    // Copies have the same options: only the first one reports them.
    if (copy > 0) for (const [index, list] of [carried, guessed, dropped].entries()) list.length = before[index] ?? 0;
  }
}

const otherOption: Rule<Conversion> = (entry, context) =>
  context.dropped(entry, UNNEEDED.test(entry.name) ? "mgr keeps the output itself" : "this option is not known to mgr import");

/** The name of the process; that of the program if it has an error, which the rule for the option reports. */
function expandedName(processName: string | null, expand: (text: string) => string, fallback: string): string {
  if (processName === null) return fallback;
  try {
    return expand(processName);
  } catch (error) {
    if (error instanceof UnfitValue) return fallback;
    throw error;
  }
}

function copiesOf({ name, entries }: Section, { result }: ImportContext): { count: number; first: number; processName: string | null } {
  const processName = entries.get("process_name")?.value ?? null;
  const count = wholeNumber(entries.get("numprocs")?.value ?? "1");
  const first = wholeNumber(entries.get("numprocs_start")?.value ?? "0");
  const place = entries.get("numprocs")?.place;
  if (place !== undefined && (count === null || count > MAX_COPIES))
    result.findings.dropped.push({
      key: `${name}.numprocs`,
      place,
      process: null,
      why: `it is not a number up to ${MAX_COPIES}`,
      instead: "copy the process by hand",
    });
  return { count: count !== null && count <= MAX_COPIES ? count : 1, first: first ?? 0, processName };
}

function wholeNumber(text: string): number | null {
  return /^\d{1,9}$/.test(text.trim()) ? Number(text) : null;
}

/** Options of supervisord itself that its programs inherit. */
const OWN_RULES: Rules<ProgramConversion> = {
  environment: (entry, context) => environment(entry, context),
  umask,
  user: drop("the manager runs as the user who starts it", "run mgr up as this user"),
  directory: drop("relative paths refer to the folder of mgr.yaml", "set cwd"),
  identifier: (entry, context) => {
    context.result.instanceName = context.expanded(entry.tree);
    context.carried(entry, "instance.name");
  },
};

function convertOwn(section: Section, paths: Paths, context: ImportContext): void {
  const tree = treeOf(section);
  const expand = (text: string) => pythonFormat(text, lookup({ here: section.folder, host_node_name: hostname() }, context));
  const place = { result: context.result, draft: context.result.defaults, section: tree.value };
  const conversion = new ProgramConversion(place, { paths, expand });
  applyRules(tree, OWN_RULES, conversion, { path: section.name, fallback: drop("it is a setting of supervisord itself") });
}

const SECTIONS: Readonly<Record<string, readonly [why: string, instead: string]>> = {
  inet_http_server: ["mgr serves its page and protocol itself", "instance.manager, and mgr passwd USER for logins"],
  unix_http_server: ["mgr has a socket of its own for commands", ""],
  supervisorctl: ["commands find the manager by mgr.yaml", ""],
  "rpcinterface:supervisor": ["mgr has its own protocol", "mgr/client, or the protocol on the one port"],
  ctlplugin: ["there are no plugins of the command line", ""],
  eventlistener: ["there are no event listeners", "notifications, or a program that follows events with mgr/client"],
  "fcgi-program": ["mgr opens no sockets for programs", "let the program open its socket itself, with a command of its own"],
};

function dropSection({ name, place }: Section, { result }: ImportContext): void {
  const [why, instead] = SECTIONS[name] ?? SECTIONS[name.split(":")[0] ?? ""] ?? ["this section is not known to mgr import", ""];
  result.findings.dropped.push({ key: `[${name}]`, place, process: null, why, instead });
}

/** Values of `%(name)s`; variables of the environment stay variables. */
function lookup(values: Readonly<Record<string, string | number>>, { environment, variables }: ImportContext) {
  return (name: string): string | number | undefined => {
    const [, variable] = /^ENV_(.+)$/.exec(name) ?? [];
    if (variable === undefined) return Object.hasOwn(values, name) ? values[name] : undefined;
    return /^[A-Za-z_]\w*$/.test(variable) ? variables.mark(variable, "") : environment[variable];
  };
}

function treeOf({ place, entries }: Section): Tree & { value: ReadonlyMap<string, Tree> } {
  return { place, value: new Map([...entries].map(([name, entry]) => [name, { place: entry.place, value: entry.value }])) };
}
