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
import { startedBy, TIMER_SECTIONS } from "./timers.ts";
import { parseUnit } from "./unit-file.ts";

/** Endings of units, and why they have no counterpart. */
const OTHER_UNITS: Readonly<Record<string, readonly [why: string, instead: string]>> = {
  ".socket": ["mgr opens no sockets for programs", "let the program open its socket itself"],
  ".path": ["no process is started because a file changed", "watch, which restarts a process"],
  ".target": ["there are no targets", "groups in the names of processes, and depends_on"],
  ".slice": ["there are no slices", "cgroup of each process"],
  ".mount": ["mgr mounts nothing", ""],
};

/** Imports services of systemd: one unit, or those of a folder. */
export const convertSystemd: Convert = async (path, context) => {
  const all = await readUnits(resolve(path), context);
  const timers = new Map([...all.values()].filter(isTimer).map((unit) => [startedBy(unit), unit]));
  const units = withInstances(new Map([...all].filter(([, unit]) => !isTimer(unit))));
  if (units.size === 0) throw new ImportFailure(`${context.files.nameOf(path)} has no services`);
  for (const unit of units.values()) convertUnit({ unit, timer: timers.get(unit.name.full) ?? null }, units, context);
  for (const [service, { name, file }] of timers)
    if (!units.has(service))
      context.result.findings.dropped.push({
        key: name.full,
        place: { file: context.files.nameOf(file), line: 0 },
        process: null,
        why: `'${service}' is not among the imported services`,
        instead: "import both, or write the key schedule by hand",
      });
};

const isTimer = ({ name }: Pick<Unit, "name">): boolean => name.full.endsWith(".timer");

/** The services and timers of a folder, or one service with its timer. */
async function readUnits(path: string, context: ImportContext): Promise<Map<string, Unit>> {
  const isFolder = statSync(path).isDirectory();
  const folder = isFolder ? path : dirname(path);
  const timer = basename(path).replace(/\.service$/, ".timer");
  const one = [basename(path), ...(timer !== basename(path) && existsSync(join(folder, timer)) ? [timer] : [])];
  const names = isFolder ? (await readdir(path)).toSorted() : one;
  const units = new Map<string, Unit>();
  for (const name of names) {
    const [why, instead] = OTHER_UNITS[/\.\w+$/.exec(name)?.[0] ?? ""] ?? [];
    const place = { file: context.files.nameOf(join(folder, name)), line: 0 };
    if (why !== undefined) context.result.findings.dropped.push({ key: name, place, process: null, why, instead: instead ?? "" });
    if (isFolder && !/\.(service|timer)$/.test(name)) continue;
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
  return units;
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

interface Scheduled {
  readonly unit: Unit;
  /** The timer that starts it; null: there is none. */
  readonly timer: Unit | null;
}

function convertUnit({ unit, timer }: Scheduled, units: ReadonlyMap<string, Unit>, context: ImportContext): void {
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
  const apply = (from: Unit, title: string, rules: typeof SERVICE_RULES) => {
    const value = from.sections.get(title) ?? new Map<string, Tree>();
    applyRules({ place, value }, rules, conversion, { path: `${from.name.full} [${title}]`, fallback: otherKey });
  };
  apply(unit, "Unit", UNIT_RULES);
  apply(unit, "Service", SERVICE_RULES);
  apply(unit, "Install", INSTALL_RULES);
  if (timer !== null) for (const [title, rules] of TIMER_SECTIONS) apply(timer, title, rules);
}
