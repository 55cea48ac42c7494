import { MgrError } from "../../base/errors.ts";
import type { ProcessDefinition } from "../../config/definition.ts";
import type { HostSession } from "../hosts/host-session.ts";
import type { HostTable } from "../hosts/host-table.ts";
import type { ProcessTable } from "./process-table.ts";

/** Finds the host session for a request to a process, or refuses it: `not_found`, `conflict`, `host_unavailable`, `not_running`. */
export class ProcessSessions {
  readonly #processTable: ProcessTable;
  readonly #hosts: HostTable;

  constructor(processTable: ProcessTable, hosts: HostTable) {
    this.#processTable = processTable;
    this.#hosts = hosts;
  }

  definition(name: string): ProcessDefinition {
    const definition = this.#processTable.config.processes.get(name);
    if (!definition) throw new MgrError("not_found", `there is no process '${name}'`);
    return definition;
  }

  known(name: string): string {
    return this.definition(name).name;
  }

  /** A process that was removed from the configuration accepts stop and signals only (docs/design/runtime-invariants.md, "Reload"). */
  lasting(name: string): string {
    if (this.#processTable.retiring.has(this.known(name)))
      throw new MgrError(
        "conflict",
        `process '${name}' was removed from the configuration; it is being stopped and takes stop and signals only`,
      );
    return name;
  }

  /** Whether the host that the process runs on, or would run on, can be reached. */
  isReachable(name: string): boolean {
    return this.#hosts.session(this.#processTable.hostOf(name))?.isOpen === true;
  }

  /** The session with the host that the process runs on, or would run on. */
  of(name: string): HostSession {
    return this.with(this.#processTable.hostOf(this.known(name)), name);
  }

  /** The session with the host that has the process's output. */
  ofOutput(name: string): HostSession {
    return this.with(this.#processTable.outputHostOf(this.known(name)), name);
  }

  /** The session with the host of the living run. */
  ofRun(name: string): { session: HostSession; runId: string } {
    const runId = this.#processTable.livingRun(this.known(name));
    if (runId === null) throw new MgrError("not_running", `process '${name}' is not running`);
    return { session: this.of(name), runId };
  }

  /** The session with `host`, for process `name`. */
  with(host: string | null, name: string): HostSession {
    const session = this.#hosts.session(host);
    if (session?.isOpen) return session;
    throw new MgrError(
      "host_unavailable",
      `host '${host}' of process '${name}' cannot be reached; nothing was sent. Try again when it is ready (mgr hosts)`,
    );
  }
}
