import { ancestorNames, MAX_SEGMENT_LENGTH, nameProblem } from "../../../../base/text/names.ts";
import { hasLength } from "../../../../base/text/text-length.ts";
import { Draft } from "./draft.ts";
import { ImportFailure } from "./failure.ts";
import { Findings } from "./findings.ts";
import type { Place } from "./tree.ts";

/** Maximum number of processes of an import, with all copies. */
const MAX_PROCESSES = 10_000;
/** Maximum number of copies of one process. */
export const MAX_COPIES = 1_000;

/** The new configuration while it is put together. */
export class Result {
  readonly findings = new Findings();
  readonly processes: Draft[] = [];
  readonly defaults: Draft;
  /** Name of the instance that the file gives; null: none. */
  instanceName: string | null = null;
  /** Names of the imported file → the processes that they became. */
  readonly #made = new Map<string, Draft[]>();
  readonly #names = new Set<string>();
  readonly #groups = new Set<string>();

  constructor(file: string) {
    this.defaults = new Draft("", "defaults", { file, line: 1 });
  }

  /** Adds a process under a valid and free name; `source` is its name in the imported file, for dependencies. */
  add(name: string, source: string, origin: string, place: Place): Draft {
    const draft = new Draft(this.#free(name), origin, place);
    if (draft.name !== name) {
      const why = `the name '${name}' is not possible here, or already in use`;
      this.findings.guessed.push({ key: origin, place, process: draft.name, to: "", why });
      draft.remarks.push(`guess: ${why}`);
    }
    this.#register(draft, source);
    return draft;
  }

  /** Replaces a process by numbered copies in a group of its name. */
  multiply(draft: Draft, source: string, names: readonly string[]): Draft[] {
    this.remove(draft);
    this.#made.set(
      source,
      (this.#made.get(source) ?? []).filter((each) => each !== draft),
    );
    const copies = names.map((name) => {
      const copy = draft.copy(this.#free(`${draft.name}/${name}`));
      this.#register(copy, source);
      return copy;
    });
    // Keys are reported once, with the first copy.
    this.findings.rename(draft.name, copies[0]?.name ?? null);
    return copies;
  }

  remove(draft: Draft): void {
    const index = this.processes.indexOf(draft);
    if (index >= 0) this.processes.splice(index, 1);
    this.#names.delete(draft.name);
  }

  /** Turns dependencies on names of the imported file into `depends_on`. */
  resolveDependencies(): void {
    for (const draft of this.processes) {
      for (const { entry, on, condition, onStop, guess } of draft.dependencies) {
        const targets = (this.#made.get(on) ?? []).filter((each) => each !== draft && this.processes.includes(each));
        if (targets.length === 0) {
          const instead = "start it by other means, or add it to the configuration";
          this.findings.dropped.push({ ...entry, process: draft.name, why: `'${on}' is not among the imported processes`, instead });
          continue;
        }
        for (const target of targets) {
          const how = new Map<string, unknown>();
          if (condition !== null) how.set("condition", condition);
          if (onStop !== null) how.set("on_stop", onStop);
          draft.depend(target.name, how);
          const outcome = { ...entry, process: draft.name, to: `depends_on.${target.name}` };
          if (guess === null) this.findings.carried.push(outcome);
          else this.findings.guessed.push({ ...outcome, why: guess });
        }
        if (guess !== null) draft.note("depends_on", `guess: ${guess}`);
      }
    }
  }

  #register(draft: Draft, source: string): void {
    if (this.processes.length >= MAX_PROCESSES) throw new ImportFailure(`${draft.place.file} has more than ${MAX_PROCESSES} processes`);
    this.processes.push(draft);
    this.#made.set(source, [...(this.#made.get(source) ?? []), draft]);
    this.#names.add(draft.name);
    for (const group of ancestorNames(draft.name)) this.#groups.add(group);
  }

  #free(name: string): string {
    const segments = name.split("/").map(validSegment);
    const wanted = nameProblem(segments.join("/")) === null ? segments : [segments.at(-1) ?? "process"];
    const isFree = (each: string) =>
      !this.#names.has(each) && !this.#groups.has(each) && !ancestorNames(each).some((group) => this.#names.has(group));
    for (let number = 1; ; number++) {
      // A conflict of a group with a process is one of the first segment.
      const [first = "", ...rest] = wanted;
      const suffix = number === 1 ? "" : `-${number}`;
      const candidate =
        this.#names.has(first) && rest.length > 0 ? [`${first}${suffix}`, ...rest] : [...wanted.slice(0, -1), `${wanted.at(-1)}${suffix}`];
      if (isFree(candidate.join("/"))) return candidate.join("/");
    }
  }
}

/** Characters of a segment that are left for the number of a copy. */
const ROOM = 8;

function validSegment(text: string): string {
  const printable = text.replace(/[\p{C}\p{Zl}\p{Zp}/]/gu, "-");
  const short = hasLength(printable, 0, MAX_SEGMENT_LENGTH - ROOM)
    ? printable
    : [...printable].slice(0, MAX_SEGMENT_LENGTH - ROOM).join("");
  return short === "" || short === "." || short === ".." ? "process" : short;
}
