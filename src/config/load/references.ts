import { normalize } from "node:path";
import { didYouMean } from "../../base/text/suggest.ts";
import { FEATURE_CHECKS } from "../features.ts";
import { hostOfNode, isOwnHost, knownHostNames } from "../hosts.ts";
import type { KeyPath } from "../schema/problems.ts";
import { entriesOf } from "../schema/schema-kinds.ts";
import { commandProblem } from "../schema/schema-values.ts";
import { KNOWN_TOOLS, NO_TOOL } from "../start-tools.ts";
import { type Edge, findCycles } from "./cycles.ts";
import { extending, Names, type PartFinding, type RawPart, type Section, type Settings, unique } from "./names.ts";

/**
 * Checks the references between names over all files; the main one comes first. Works on the values before they are checked against the schema, so
 * that these problems are reported together with those of single keys.
 */
export function checkReferences(parts: readonly RawPart[]): PartFinding[] {
  const names = new Names(parts);
  return [
    ...names.duplicates,
    ...FEATURE_CHECKS.flatMap((check) => check(names)),
    ...checkNames(names),
    ...checkTemplates(names),
    ...checkCommands(names),
    ...checkDependencies(names),
    ...checkStartTools(names),
    ...checkNodes(names),
  ];
}

function checkNames(names: Names): PartFinding[] {
  const findings: PartFinding[] = [];
  for (const [section, all] of [
    ["groups", names.groups.keys()],
    ["processes", names.processes.keys()],
  ] as const) {
    for (const name of all) {
      const report = (message: string) => findings.push(names.finding([section, name], message, "key"));
      if (section === "groups" || !names.isGroup(name)) continue;
      const because = names.groups.has(name) ? "" : ` (because of '${names.impliedBy.get(name)}')`;
      report(`a process and a group cannot have the same name, and '${name}' is also a group${because}`);
    }
  }
  return findings;
}

function checkTemplates(names: Names): PartFinding[] {
  const findings: PartFinding[] = [];
  const edges = new Map<string, Edge[]>();
  const check = (section: Section, name: string, settings: Settings) => {
    const own: Edge[] = [];
    const value = settings.get("extends");
    for (const [index, to] of extending(settings).extends.entries()) {
      const path = [section, name, "extends", ...(Array.isArray(value) ? [index] : [])];
      if (to === "") continue;
      if (names.templates.has(to)) own.push({ to, path, at: "value" });
      else findings.push(names.finding(path, `there is no template '${to}'${didYouMean(to, names.templates.keys())}`));
    }
    if (section === "templates") edges.set(name, own);
  };
  for (const [name, settings] of names.templates) check("templates", name, settings);
  for (const [name, settings] of names.processes) check("processes", name, settings);
  const cycles = findCycles(edges).map(({ edge, cycle }) => names.finding(edge.path, `the templates form a cycle: ${cycle.join(" → ")}`));
  return [...findings, ...cycles];
}

/** Checks the commands of processes together with their templates; the schema checks a process without templates. */
function checkCommands(names: Names): PartFinding[] {
  const findings: PartFinding[] = [];
  for (const [name, own] of names.processes) {
    if (!own.has("extends")) continue;
    const sections = names.sections(name);
    const holder = (key: string) => sections.findLast(({ settings }) => settings.has(key));
    const shell = holder("shell")?.settings.get("shell") === true;
    const report = (section: { path: KeyPath } | undefined, key: KeyPath, problem: string | null) => {
      if (problem !== null && section !== undefined) findings.push(names.finding([...section.path, ...key], problem));
    };
    const command = holder("command");
    if (command === undefined) {
      findings.push(names.finding(["processes", name], "has no 'command', and none of its templates has one", "key"));
    } else report(command, ["command"], commandProblem(command.settings.get("command"), shell));
    for (const section of sections) {
      for (const [label, value] of entriesOf(section.settings.get("alternate_commands") ?? null) ?? []) {
        report(section, ["alternate_commands", label], commandProblem(value, shell));
      }
    }
  }
  return unique(findings);
}

function checkDependencies(names: Names): PartFinding[] {
  const findings: PartFinding[] = [];
  const edges = new Map<string, Edge[]>();
  for (const name of names.processes.keys()) {
    const own = new Map<string, Edge>();
    for (const { path: section, settings } of names.sections(name)) {
      const here = new Set<string>();
      for (const { to, key } of namesOf(settings.get("depends_on"))) {
        const path = [...section, "depends_on", key];
        const at = typeof key === "string" ? "key" : "value";
        const report = (message: string) => findings.push(names.finding(path, message, at));
        if (to === name) report(section[0] === "templates" ? `'${name}' would depend on itself` : "a process cannot depend on itself");
        else if (here.has(to)) report(`'${to}' is listed twice`);
        else if (names.processes.has(to)) own.set(to, { to, path, at });
        else if (names.isGroup(to)) report(`'${to}' is a group; a process can depend only on processes`);
        else report(`there is no process '${to}'${didYouMean(to, names.processes.keys())}`);
        here.add(to);
      }
    }
    edges.set(name, [...own.values()]);
  }
  const cycles = findCycles(edges).map(({ edge, cycle }) =>
    names.finding(edge.path, `the dependencies form a cycle: ${cycle.join(" → ")}`, edge.at),
  );
  return unique([...findings, ...cycles]);
}

function checkStartTools(names: Names): PartFinding[] {
  const findings: PartFinding[] = [];
  const values = new Set<string>();
  const known = new Set(KNOWN_TOOLS.map((tool) => tool.value));
  const tools = entriesOf(names.main.get("instance") ?? null)?.get("start_tools");
  for (const [index, tool] of (Array.isArray(tools) ? tools : []).entries()) {
    const value = entriesOf(tool ?? null)?.get("value");
    if (typeof value !== "string") continue;
    const report = (message: string) => findings.push(names.finding(["instance", "start_tools", index, "value"], message));
    if (value === NO_TOOL || value === "default") report(`'${value}' is reserved; choose another name`);
    else if (values.has(value)) report(`'${value}' is listed twice`);
    values.add(value);
    known.add(value);
  }
  const check = (path: KeyPath, settings: Settings | undefined) => {
    const value = settings?.get("start_tool");
    if (typeof value !== "string" || value === "" || value === NO_TOOL || known.has(value)) return;
    findings.push(names.finding([...path, "start_tool"], `there is no start tool '${value}'${didYouMean(value, known)}`));
  };
  check(["defaults"], entriesOf(names.main.get("defaults") ?? null));
  for (const [name, settings] of names.templates) check(["templates", name], settings);
  for (const [name, settings] of names.processes) check(["processes", name], settings);
  return findings;
}

function checkNodes(names: Names): PartFinding[] {
  const findings: PartFinding[] = [];
  const { hosts, problems } = readHosts(names);
  findings.push(...problems);
  const nodes = new Map<string, string>();
  for (const [node, host] of entriesOf(names.main.get("nodes") ?? null) ?? []) {
    if (typeof host !== "string" || host === "") continue;
    nodes.set(node, host);
    const only = { hosts, nodes: new Map<string, string>() };
    if (hostOfNode(host, only) !== undefined) continue;
    const hint = didYouMean(host, knownHostNames(only)) || "; add it to 'hosts'";
    findings.push(names.finding(["nodes", node], `there is no host '${host}'${hint}`));
  }
  const check = (path: KeyPath, settings: Settings) => {
    const node = settings.get("node");
    if (typeof node !== "string" || node === "" || nodes.has(node) || hostOfNode(node, { hosts, nodes }) !== undefined) return;
    const hint = didYouMean(node, knownHostNames({ hosts, nodes })) || "; add it to 'nodes' or 'hosts'";
    findings.push(names.finding([...path, "node"], `there is no node or host '${node}'${hint}`));
  };
  for (const [name, settings] of names.templates) check(["templates", name], settings);
  for (const [name, settings] of names.processes) check(["processes", name], settings);
  return findings;
}

/** Reads the hosts. Reports names and token files that two hosts share: a daemon with the token of another host is refused. */
function readHosts(names: Names): { hosts: Map<string, { aliases: string[] }>; problems: PartFinding[] } {
  const problems: PartFinding[] = [];
  const owners = new Map<string, string>();
  const hosts = new Map<string, { aliases: string[] }>();
  const entries = entriesOf(names.main.get("hosts") ?? null) ?? new Map<string, unknown>();
  const tokenOwners = new Map<string, string>();
  const ownerOf = (host: string) => (isOwnHost(host) ? "localhost" : host);
  for (const name of ["localhost", ...entries.keys()]) owners.set(name, ownerOf(name));
  for (const [name, settings] of entries) {
    const own = entriesOf(settings ?? null);
    const token = own?.get("token_file");
    if (typeof token === "string") {
      const path = normalize(token);
      const owner = tokenOwners.get(path);
      if (owner === undefined) tokenOwners.set(path, name);
      else
        problems.push(
          names.finding(
            ["hosts", name, "token_file"],
            `'${token}' is already the token file of host '${owner}'; each host needs a token of its own`,
          ),
        );
    }
    const listed: unknown = own?.get("aliases");
    const aliases: string[] = [];
    for (const [index, alias] of (Array.isArray(listed) ? listed : []).entries()) {
      if (typeof alias !== "string") continue;
      aliases.push(alias);
      const owner = isOwnHost(alias) ? "localhost" : owners.get(alias);
      if (owner !== undefined && owner !== ownerOf(name))
        problems.push(names.finding(["hosts", name, "aliases", index], `'${alias}' is already a name of host '${owner}'`));
      else owners.set(alias, ownerOf(name));
    }
    hosts.set(name, { aliases });
  }
  return { hosts, problems };
}

/** The strings of a list, or the keys of a mapping; the schema reports anything else. */
function namesOf(value: unknown): { to: string; key: string | number }[] {
  if (Array.isArray(value)) return value.flatMap((to: unknown, key) => (typeof to === "string" && to !== "" ? [{ to, key }] : []));
  return [...(entriesOf(value)?.keys() ?? [])].map((to) => ({ to, key: to }));
}
