import type { ProcessDetail } from "../actors/control.ts";
import { ancestorNames, isWithin } from "../base/text/names.ts";
import { groupState, type LogEntry, type Process, type ProcessTreeNode, stateInGroup } from "../protocol/resources/resources.ts";
import { HiddenText } from "./hidden-text.ts";
import { contains, type GrantedView } from "./view.ts";

/** Removes the names of processes that a view does not show from what it shows. */
export class HiddenNames {
  readonly #view: GrantedView;
  readonly #known: ReadonlySet<string>;
  #hidden: HiddenText | null = null;
  /** Groups of entries of the log, and whether they are shown. */
  readonly #shown = new Map<string, boolean>();

  /** `known`: the names of all processes that a text may contain; they are read when the first text is examined. */
  constructor(view: GrantedView, known: ReadonlySet<string>) {
    this.#view = view;
    this.#known = known;
  }

  process(process: Process): Process {
    const { waiting_for, depends_on, stops_with, stopped_with, exit } = process;
    return {
      ...process,
      waiting_for: this.visible(waiting_for),
      depends_on: this.visible(depends_on),
      stops_with: this.visible(stops_with),
      stopped_with: stopped_with === null || contains(this.#view, stopped_with) ? stopped_with : null,
      exit: exit && { ...exit, reason: this.reason(exit.reason) },
    };
  }

  detail({ history, changes, needed_by, definition, ...detail }: ProcessDetail): ProcessDetail {
    const { depends_on: _names, ...shown } = definition;
    return {
      ...detail,
      definition: shown,
      needed_by: this.visible(needed_by),
      history: history.map((run) => ({ ...run, reason: this.reason(run.reason) })),
      changes: changes.map((change) => ({ ...change, reason: this.reason(change.reason) })),
    };
  }

  visible(names: readonly string[]): string[] {
    return names.filter((name) => contains(this.#view, name));
  }

  /** The groups and processes in view; the state of a group is that of its members in view. */
  tree(nodes: readonly ProcessTreeNode[], processOf: (name: string) => Process | undefined): ProcessTreeNode[] {
    return nodes.flatMap((node): ProcessTreeNode[] => {
      if (node.type === "process") return contains(this.#view, node.name) ? [node] : [];
      const children = this.tree(node.children, processOf);
      if (children.length === 0) return [];
      const states = children.map((child) => (child.type === "group" ? child.state : stateInGroup(processOf(child.name))));
      return [{ ...node, children, state: groupState(states) }];
    });
  }

  /** The last `limit` of the entries that say which processes they concern, if all of these are in view. */
  log(entries: readonly LogEntry[], limit = entries.length): LogEntry[] {
    const shown: LogEntry[] = [];
    for (let at = entries.length - 1; at >= 0 && shown.length < limit; at--) {
      const entry = entries[at];
      const names = entry === undefined ? [] : namesOf(entry);
      if (entry === undefined || names.length === 0 || !names.every((name) => this.#isShown(name))) continue;
      const { change, msg } = entry;
      shown.push({ ...entry, msg: this.text(msg), ...(change && { change: { ...change, reason: this.reason(change.reason) } }) });
    }
    return shown.reverse();
  }

  /** Whether a process is in view, or all processes of a group. */
  #isShown(name: string): boolean {
    if (contains(this.#view, name)) return true;
    const known = this.#shown.get(name);
    if (known !== undefined) return known;
    let members = 0;
    let seen = 0;
    for (const each of this.#known) {
      if (each === name || !isWithin(each, name)) continue;
      members++;
      if (contains(this.#view, each)) seen++;
    }
    const isShown = members > 0 && seen === members;
    this.#shown.set(name, isShown);
    return isShown;
  }

  reason(reason: string | null): string | null {
    return reason === null ? null : this.text(reason);
  }

  text(text: string): string {
    this.#hidden ??= new HiddenText(hiddenOf(this.#known, this.#view));
    return this.#hidden.replace(text);
  }
}

/** The processes and groups that an entry of the log concerns; none: it does not say so. */
function namesOf({ change, action, about = [] }: LogEntry): readonly string[] {
  return [change?.process ?? [], action?.name ?? [], about].flat();
}

/** The hidden processes and the groups that have no visible one. */
function hiddenOf(known: Iterable<string>, view: GrantedView): string[] {
  const hidden = new Set<string>();
  const shown = new Set<string>();
  for (const name of known) {
    const names = contains(view, name) ? shown : hidden;
    for (const each of [name, ...ancestorNames(name)]) names.add(each);
  }
  return [...hidden].filter((name) => !shown.has(name));
}
