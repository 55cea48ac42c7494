import { MgrError } from "../../base/errors.ts";
import type { GroupNode, Process, ProcessState } from "../../protocol/resources/resources.ts";
import type { ManagerConnection } from "../manager-connection.ts";
import { onEachOpening, type WaitOptions, waitFor } from "../wait.ts";
import { exitText } from "./exit-text.ts";
import { checkState, endedSince, isIn, isSameRun, isStopped, isUp } from "./process-goals.ts";
import { ProcessHandle } from "./process-handle.ts";

/** Number of output lines that a rejection quotes of each process that failed. */
const MAX_QUOTED_LINES = 10;
/** Maximum number of failed processes that are quoted. */
const MAX_QUOTED = 5;

type GroupCommand = "start_group" | "stop_group" | "restart_group";

interface Goal {
  readonly what: string;
  readonly reached: (process: Process, before: Process | undefined) => boolean;
  readonly command?: GroupCommand;
}

/**
 * A group of a manager with all processes below it, over any link. Waits reject with MgrError: which processes failed, why, and their last
 * output.
 */
export class GroupHandle {
  readonly name: string;
  readonly #client: ManagerConnection;

  constructor(client: ManagerConnection, name: string) {
    this.#client = client;
    this.name = name;
  }

  /** The group as it is now: `state` is the worst of its members'. Rejects with `not_found`. */
  async get(): Promise<GroupNode> {
    await this.#client.mirror.current();
    const group = this.#client.mirror.group(this.name);
    if (group === undefined) throw this.#missing();
    return group;
  }

  /** The processes below it now, of all levels, in configuration order. */
  async processes(): Promise<Process[]> {
    await this.get();
    return this.#client.mirror.members(this.name);
  }

  /** Handles of the processes below it now. */
  async handles(): Promise<ProcessHandle[]> {
    return (await this.processes()).map(({ name }) => new ProcessHandle(this.#client, name));
  }

  /** Starts all; resolves when each is ready, or started if it has no ready state, or has already ended successfully. Backoff: as for a process. */
  start(options: WaitOptions = {}): Promise<Process[]> {
    const reached: Goal["reached"] = (process, before) => isUp(process) || (before !== undefined && endedSince(before, process));
    return this.#until({ what: "the end of its start", reached, command: "start_group" }, options);
  }

  /** Stops all, in reverse order; resolves when nothing of them is left. */
  stop(options: WaitOptions = {}): Promise<Process[]> {
    return this.#until({ what: "the end of its stop", reached: (process) => process.state === "stopped", command: "stop_group" }, options);
  }

  /** Resolves when each member has a new run that is ready, or started, or has already ended successfully. */
  restart(options: WaitOptions = {}): Promise<Process[]> {
    const reached: Goal["reached"] = (process, before) =>
      before === undefined ? isUp(process) : (isUp(process) && !isSameRun(before, process)) || endedSince(before, process);
    return this.#until({ what: "the end of its restart", reached, command: "restart_group" }, options);
  }

  /** Resolves when every member has reached `state` (see `ProcessHandle.waitFor`). Rejects when one fails instead. */
  async waitFor(state: ProcessState, options: WaitOptions = {}): Promise<Process[]> {
    checkState(state);
    return this.#until({ what: `'${state}'`, reached: (process) => isIn(process, state) }, options);
  }

  #until({ what, reached, command }: Goal, options: WaitOptions): Promise<Process[]> {
    const client = this.#client;
    const { mirror } = client;
    const missing = () => mirror.members(this.name).filter((process) => !reached(process, before.get(process.name)));
    const before = new Map<string, Process>();
    const context = () => this.#quote(missing());
    return waitFor({
      client,
      subject: `group '${this.name}'`,
      what,
      options,
      context,
      begin: async ({ subscription, resolve, fail }) => {
        const check = () => {
          const left = missing();
          const failed = left.filter((process) => process.state === "error");
          const stopped = command === undefined || command === "stop_group" ? [] : left.filter(isStopped);
          if (left.length === 0) resolve(mirror.members(this.name));
          else if (failed.length > 0) fail(`group '${this.name}' failed: ${failed.map(reasonOf).join("; ")}`);
          else if (stopped.length > 0)
            fail(`${stopped.map(({ name }) => `'${name}'`).join(", ")} of group '${this.name}' was stopped meanwhile`);
        };
        await onEachOpening(client, subscription, () => (command ? mirror.known() : mirror.current()));
        if (!mirror.group(this.name)) throw this.#missing();
        for (const process of mirror.members(this.name)) before.set(process.name, process);
        if (command) await client.request({ type: command, name: this.name });
        subscription.add(mirror.changes$.subscribe(check));
        check();
      },
    });
  }

  async #quote(processes: readonly Process[]): Promise<string> {
    const quoted = processes.slice(0, MAX_QUOTED).map(async (process) => {
      const output = await new ProcessHandle(this.#client, process.name).output(MAX_QUOTED_LINES);
      return `'${process.name}' is ${process.state}${output === "" ? "" : `; its last output:\n${output}`}`;
    });
    const more = processes.length > MAX_QUOTED ? [`and ${processes.length - MAX_QUOTED} more`] : [];
    return [...(await Promise.all(quoted)), ...more].join("\n");
  }

  #missing(): MgrError {
    return new MgrError("not_found", `there is no group '${this.name}'`);
  }
}

function reasonOf(process: Process): string {
  return `'${process.name}': ${exitText(process) || "see the manager's log"}`;
}
