import { displayName, parentName } from "../../base/text/names.ts";
import type { Config } from "../../config/definition.ts";
import {
  type GroupNode,
  groupState,
  type ProcessNode,
  type ProcessState,
  type ProcessTreeNode,
} from "../../protocol/resources/resources.ts";

/** A group, with what its node is made of. */
interface Group extends Pick<GroupNode, "type" | "name" | "display_name" | "opened"> {
  readonly members: (ProcessNode | Group)[];
  /** Numbers of the processes that are directly in it, by the state that they contribute. */
  readonly counts: Map<ProcessState, number>;
  /** The states of all levels below it, as of its node. */
  states: ReadonlySet<ProcessState>;
  /** Replaced only if one of them is another one. */
  children: ProcessTreeNode[];
  /** Null: it has to be made again, and so have those of the groups above it. */
  node: GroupNode | null;
}

/**
 * The tree of one configuration, in its order: a group is at the position of its first process, empty groups are at the end. Groups count the states of
 * their processes, so that a tree of 100,000 processes takes only the groups that have changed since the last one. Nodes are never modified.
 */
export class ProcessTree {
  readonly #processes: Config["processes"];
  readonly #roots: (ProcessNode | Group)[] = [];
  readonly #groups = new Map<string, Group>();

  /** `stateOf`: the state that a process contributes to its group (`stateInGroup`). */
  constructor({ processes, groups }: Pick<Config, "processes" | "groups">, stateOf: (name: string) => ProcessState) {
    this.#processes = processes;
    for (const name of processes.keys()) {
      const parent = parentName(name);
      const process: ProcessNode = { type: "process", name };
      if (parent === null) this.#roots.push(process);
      else {
        const group = this.#group(parent, groups);
        group.members.push(process);
        count(group, stateOf(name), 1);
      }
    }
    for (const name of groups.keys()) this.#group(name, groups);
  }

  /** Called when a process contributes another state to its group. */
  changed(process: string, from: ProcessState, to: ProcessState): void {
    const parent = parentName(process);
    const group = parent === null ? undefined : this.#groups.get(parent);
    if (group === undefined || !this.#processes.has(process)) return;
    count(group, from, -1);
    count(group, to, 1);
    this.#outdate(group);
  }

  /** The whole tree. */
  nodes(): ProcessTreeNode[] {
    return this.#roots.map(nodeOf);
  }

  /** One process or group: that node alone; empty if there is none. */
  part(name: string): ProcessTreeNode[] {
    const group = this.#groups.get(name);
    if (group !== undefined) return [nodeOf(group)];
    return this.#processes.has(name) ? [{ type: "process", name }] : [];
  }

  #group(name: string, groups: Config["groups"]): Group {
    const known = this.#groups.get(name);
    if (known !== undefined) return known;
    const opened = groups.get(name)?.opened ?? false;
    const group: Group = {
      type: "group",
      name,
      display_name: displayName(name),
      opened,
      members: [],
      counts: new Map(),
      states: new Set(),
      children: [],
      node: null,
    };
    this.#groups.set(name, group);
    const parent = parentName(name);
    (parent === null ? this.#roots : this.#group(parent, groups).members).push(group);
    return group;
  }

  #outdate(group: Group): void {
    for (let each: Group | undefined = group; each !== undefined && each.node !== null; ) {
      each.node = null;
      const parent = parentName(each.name);
      each = parent === null ? undefined : this.#groups.get(parent);
    }
  }
}

function count({ counts }: Group, state: ProcessState, difference: 1 | -1): void {
  const number = (counts.get(state) ?? 0) + difference;
  if (number === 0) counts.delete(state);
  else counts.set(state, number);
}

function nodeOf(member: ProcessNode | Group): ProcessTreeNode {
  if (member.type === "process") return member;
  member.node ??= makeNode(member);
  return member.node;
}

function makeNode(group: Group): GroupNode {
  const { type, name, display_name, opened, members, counts } = group;
  const states = new Set(counts.keys());
  const children = members.map(nodeOf);
  if (children.some((child, index) => child !== group.children[index])) group.children = children;
  for (const member of members) if (member.type === "group") for (const state of member.states) states.add(state);
  group.states = states;
  return { type, name, display_name, opened, state: groupState(states), children: group.children };
}
