import type { ProcessSnapshot } from "../../actors/process/process-machine.ts";
import type { Config } from "../../config/definition.ts";
import { type Process, stateInGroup } from "../../protocol/resources/resources.ts";
import { ProcessTree } from "./process-tree.ts";

interface Shown {
  process: Process;
  /** The state of the actor that the resource was made from; null: it has to be made again. */
  of: ProcessSnapshot | null;
  /** The position of the process in the list; -1: it is not in the list. */
  index: number;
}

/**
 * The newest resource of each process, their list and their tree. Both follow each change, so that a snapshot of 100,000 processes is taken
 * in a few milliseconds of one turn.
 */
export class ShownProcesses {
  readonly #shown = new Map<string, Shown>();
  #config: Pick<Config, "processes" | "groups">;
  #tree: ProcessTree;
  /** In configuration order; null: it has to be made again. */
  #list: Process[] | null = null;

  constructor(config: Pick<Config, "processes" | "groups">) {
    this.#config = config;
    this.#tree = this.#makeTree();
  }

  get tree(): ProcessTree {
    return this.#tree;
  }

  /** Called when the configuration is replaced. */
  configure(config: Pick<Config, "processes" | "groups">): void {
    this.#config = config;
    this.#tree = this.#makeTree();
    this.#list = null;
  }

  get(name: string): Process | undefined {
    return this.#shown.get(name)?.process;
  }

  /** The resource that was made from this state of the actor, if it is still the newest one. */
  madeFrom(name: string, snapshot: ProcessSnapshot): Process | undefined {
    const shown = this.#shown.get(name);
    return shown?.of === snapshot ? shown.process : undefined;
  }

  set(name: string, process: Process, of: ProcessSnapshot | null): void {
    const shown = this.#shown.get(name);
    const [before, now] = [stateInGroup(shown?.process), stateInGroup(process)];
    if (before !== now) this.#tree.changed(name, before, now);
    if (shown === undefined) {
      this.#shown.set(name, { process, of, index: -1 });
      this.#list = null;
      return;
    }
    shown.process = process;
    shown.of = of;
    if (this.#list !== null && shown.index >= 0) this.#list[shown.index] = process;
  }

  delete(name: string): void {
    this.#tree.changed(name, stateInGroup(this.get(name)), stateInGroup(undefined));
    this.#shown.delete(name);
    this.#list = null;
  }

  /** Called when the resource has to be made again; the one before is shown until then. */
  outdate(name: string): void {
    const shown = this.#shown.get(name);
    if (shown) shown.of = null;
  }

  /** All processes, in configuration order. */
  list(): Process[] {
    this.#list ??= this.#makeList();
    return this.#list.slice();
  }

  #makeList(): Process[] {
    const list: Process[] = [];
    for (const shown of this.#shown.values()) shown.index = -1;
    for (const name of this.#config.processes.keys()) {
      const shown = this.#shown.get(name);
      if (shown === undefined) continue;
      shown.index = list.length;
      list.push(shown.process);
    }
    return list;
  }

  #makeTree(): ProcessTree {
    return new ProcessTree(this.#config, (name) => stateInGroup(this.get(name)));
  }
}
