import { existsSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { applyRules } from "../../model/conversion.ts";
import { ImportFailure } from "../../model/failure.ts";
import { asList, type Tree } from "../../model/tree.ts";
import { Paths, text } from "../../model/values.ts";
import type { Convert, ImportContext } from "../kind.ts";
import { wordsOf } from "./commands.ts";
import { INSTALL_RULES, LIST_KEYS, otherKey, SERVICE_RULES, setRestartDefaults, UNIT_RULES } from "./keys.ts";
import { ServiceConversion, type Unit } from "./service.ts";
import { unitName } from "./specifiers.ts";
import { parseUnit } from "./unit-file.ts";

/** Endings of units, and why they have no counterpart. */
const OTHER_UNITS: Readonly<Record<string, readonly [why: string, instead: string]>> = {
  ".timer": [
    "schedules are not imported",
    "write it as the key schedule of the process, or keep the timer, with a service that runs: mgr start NAME",
  ],
  ".socket": ["mgr opens no sockets for programs", "let the program open its socket itself"],
  ".path": ["no process is started because a file changed", "watch, which restarts a process"],
  ".target": ["there are no targets", "groups in the names of processes, and depends_on"],
  ".slice": ["there are no slices", "cgroup of each process"],
  ".mount": ["mgr mounts nothing", ""],
};

/** Imports services of systemd: one unit, or those of a folder. */
export const convertSystemd: Convert = async (path, context) => {
  const units = await readUnits(resolve(path), context);
  if (units.size === 0) throw new ImportFailure(`${context.files.nameOf(path)} has no services`);
  for (const unit of units.values()) convertUnit(unit, units, context);
};

async function readUnits(path: string, context: ImportContext): Promise<ReadonlyMap<string, Unit>> {
  const isFolder = statSync(path).isDirectory();
  const names = isFolder ? (await readdir(path)).toSorted() : [basename(path)];
  const folder = isFolder ? path : dirname(path);
  const units = new Map<string, Unit>();
  for (const name of names) {
    const [why, instead] = OTHER_UNITS[/\.\w+$/.exec(name)?.[0] ?? ""] ?? [];
    const place = { file: context.files.nameOf(join(folder, name)), line: 0 };
    if (why !== undefined) context.result.findings.dropped.push({ key: name, place, process: null, why, instead: instead ?? "" });
    if (isFolder && !name.endsWith(".service")) continue;
    const lines = parseUnit(await context.files.read(join(folder, name)), place.file);
    // Files in the folder beside it add to the unit.
    const additions = join(folder, `${name}.d`);
    for (const file of existsSync(additions) ? (await readdir(additions)).toSorted().filter((each) => each.endsWith(".conf")) : []) {
      const more = parseUnit(await context.files.read(join(additions, file)), context.files.nameOf(join(additions, file)));
      lines.lines.push(...more.lines);
      lines.problems.push(...more.problems);
    }
    for (const problem of lines.problems)
      context.result.findings.dropped.push({
        key: problem.text,
        place: problem.place,
        process: null,
        why: "it is not KEY=value",
        instead: "correct the line",
      });
    units.set(name, { name: unitName(name), file: join(folder, name), sections: sectionsOf(lines.lines) });
  }
  return withInstances(units);
}

function sectionsOf(lines: ReturnType<typeof parseUnit>["lines"]): Map<string, Map<string, Tree>> {
  const sections = new Map<string, Map<string, Tree>>();
  for (const { section, key, value, place } of lines) {
    const keys = sections.get(section) ?? new Map<string, Tree>();
    sections.set(section, keys);
    const before = keys.get(key);
    if (!LIST_KEYS.test(key)) keys.set(key, { place, value });
    else if (value === "") keys.delete(key);
    else keys.set(key, { place: before?.place ?? place, value: [...(before === undefined ? [] : asList(before)), { place, value }] });
  }
  return sections;
}

/** A template (`x@.service`) stands for the instances that other units name, or its default instance. */
function withInstances(units: Map<string, Unit>): ReadonlyMap<string, Unit> {
  const named = [...units.values()].flatMap(({ sections }) =>
    [...(sections.get("Unit") ?? [])].flatMap(([key, tree]) =>
      LIST_KEYS.test(key) ? wordsOf({ name: key, key, place: tree.place, tree }) : [],
    ),
  );
  for (const [name, unit] of [...units]) {
    if (unit.name.instance !== "") continue;
    const fallback = unit.sections.get("Install")?.get("DefaultInstance");
    const wanted = named
      .map(({ word }) => word)
      .filter((word) => word.startsWith(`${unit.name.prefix}@`) && word.endsWith(".service") && word !== name);
    if (wanted.length === 0 && fallback !== undefined) wanted.push(`${unit.name.prefix}@${text(fallback)}.service`);
    if (wanted.length === 0) continue;
    units.delete(name);
    for (const each of wanted) if (!units.has(each)) units.set(each, { ...unit, name: unitName(each) });
  }
  return units;
}

function convertUnit(unit: Unit, units: ReadonlyMap<string, Unit>, context: ImportContext): void {
  const { result } = context;
  const [name, file] = [unit.name.full, context.files.nameOf(unit.file)];
  const section = unit.sections.get("Service") ?? new Map<string, Tree>();
  const place = { file, line: section.get("ExecStart")?.place.line ?? 1 };
  const drop = (why: string, instead: string) => result.findings.dropped.push({ key: name, place, process: null, why, instead });
  if (!section.has("ExecStart") || unit.name.instance === "") {
    if (section.has("ExecStart"))
      drop("it is a template without an instance", `copy it to ${unit.name.prefix}@INSTANCE.service and import that`);
    else drop("it has no ExecStart", "");
    return;
  }
  const draft = result.add(name.replace(/\.service$/, ""), name, name, place);
  draft.set("command", "");
  const user = section.get("User");
  const paths = new Paths(dirname(unit.file), context.target);
  const conversion = new ServiceConversion(
    { result, draft, section },
    { unit, units, paths, user: user === undefined ? null : text(user) },
  );
  // systemd's working folder is the root of the file system.
  draft.set("cwd", "/");
  setRestartDefaults(conversion);
  const apply = (title: string, rules: typeof SERVICE_RULES) => {
    const value = unit.sections.get(title) ?? new Map<string, Tree>();
    applyRules({ place, value }, rules, conversion, { path: `${name} [${title}]`, fallback: otherKey });
  };
  apply("Unit", UNIT_RULES);
  apply("Service", SERVICE_RULES);
  apply("Install", INSTALL_RULES);
}
