import { existsSync, rmSync } from "node:fs";
import { createConnection } from "node:net";
import { dirname, join } from "node:path";
import type { Duplex } from "node:stream";
import type { DomainEvents } from "../../../actors/domain-events.ts";
import type { ManagerCore } from "../../../app/feature.ts";
import type { ProcessTable } from "../../../app/processes/process-table.ts";
import { MgrError } from "../../../base/errors.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import { SerialQueue } from "../../../base/timing/serial-queue.ts";
import { poll, untilWithin } from "../../../base/timing/wait.ts";
import type { ProcessDefinition } from "../../../config/definition.ts";
import type { Process, VncSession, WebXDisplay } from "../../../protocol/resources/resources.ts";
import { freeDisplay, isDisplayUsed } from "../host/display-numbers.ts";
import type { DisplayRecord, DisplayRecords } from "./display-records.ts";
import { authorityOf, displayDefinition, prepareFolder, requireServer, socketOf, windowManager } from "./display-server.ts";
import { displayProcessOf } from "./display-user.ts";
import type { VncInfo } from "./displays.ts";
import { hasWindowManager } from "./window-manager.ts";

/** Time in which a display that has just failed is not started again, milliseconds. */
const FAILURE_PAUSE_MS = 5_000;
/** Maximum time that a run waits for its display, milliseconds. */
const READY_WAIT_MS = 90_000;
/** Maximum time that it waits for the window manager after that, milliseconds: some do not report that they run. */
const WINDOW_MANAGER_WAIT_MS = 5_000;
const WINDOW_MANAGER_POLL_MS = 30;
/** VNC port of display 0; other displays add their number. */
const VNC_BASE_PORT = 5_900;

type FailedProcess = Pick<Process, "exit">;

interface PrivateDisplaysOptions {
  /** Null: this manager has no folder for private displays. */
  records: DisplayRecords | null;
  processTable: ProcessTable;
  events: DomainEvents;
  clock: Clock;
  addProcess: ManagerCore["addProcess"];
  startProcess: ManagerCore["startProcess"];
}

/** An X server for each web user, made on demand: an ordinary process in the group `displays`. */
export class PrivateDisplays {
  readonly #options: PrivateDisplaysOptions;
  readonly #changes = new SerialQueue();
  /** Monotonic time of the last start, by user. */
  readonly #started = new Map<string, number>();

  constructor(options: PrivateDisplaysOptions) {
    this.#options = options;
  }

  /** The processes of displays that were used before, so that running ones are adopted. */
  definitions(): ProcessDefinition[] {
    const { records, processTable } = this.#options;
    return (records?.all() ?? []).map((record) => displayDefinition(record, processTable.config));
  }

  /** Called before each run of a process; makes the folder if the process is a private display. */
  beforeRun(process: string): void {
    const record = this.#options.records?.all().find(({ user }) => displayProcessOf(user) === process);
    if (record) prepareFolder(record);
  }

  /** Starts the display of `user` unless it runs or starts already. Rejects with the reason if it cannot. */
  ensure(user: string): Promise<DisplayRecord> {
    return this.#changes.run(() => this.#ensure(user));
  }

  /** Starts the display if needed, and resolves when X clients can connect and their windows are shown. Rejects with the reason if this fails. */
  async whenReady(user: string, signal: AbortSignal): Promise<DisplayRecord> {
    const { processTable, events, clock } = this.#options;
    const record = await this.ensure(user);
    const name = displayProcessOf(user);
    const isReady = () => {
      const process = processTable.process(name);
      if (process?.state === "ready") return true;
      if (process === undefined || process.state === "error" || process.requested_state === "stop") throw failed(name, process);
      return false;
    };
    const changes = (check: () => void) =>
      events.subscribe((event) => {
        if (event.type === "process_upsert" && event.process.name === name) check();
      });
    if (!(await untilWithin(isReady, changes, { forMs: READY_WAIT_MS, clock, signal })))
      throw new MgrError("timeout", `the private display of '${user}' was not ready within ${READY_WAIT_MS / 1_000} s`);
    await this.#windowManagerRuns(record, signal);
    return record;
  }

  /** Waits for the window manager: a window that opens while it starts is sometimes never shown (seen with openbox 3.6). */
  async #windowManagerRuns(record: DisplayRecord, signal: AbortSignal): Promise<void> {
    const { processTable, clock } = this.#options;
    if (windowManager(processTable.config.displays) === null) return;
    const display = { display: `:${record.display}`, authority: authorityOf(record) };
    await poll(() => hasWindowManager(display), { everyMs: WINDOW_MANAGER_POLL_MS, forMs: WINDOW_MANAGER_WAIT_MS, clock, signal });
  }

  async info(user: string): Promise<VncInfo> {
    const record = await this.ensure(user);
    const process = displayProcessOf(user);
    const state = this.#options.processTable.stateOf(process) ?? "stopped";
    return {
      username: user,
      display: record.display,
      display_name: `:${record.display}`,
      manager_host: this.#options.processTable.hostName,
      vnc_port: VNC_BASE_PORT + record.display,
      process,
      process_state: state,
      ready: state === "ready" && existsSync(socketOf(record)),
      websocket_path: "/mgr/vnc/ws",
    };
  }

  async open(user: string): Promise<Duplex> {
    const record = this.record(user);
    if (record === null || !this.isReady(user))
      throw new MgrError("not_running", "your private display does not run: ask /mgr/vnc/info, which starts it, until 'ready' is true");
    return connected(socketOf(record));
  }

  record(user: string): DisplayRecord | null {
    return this.#options.records?.get(user) ?? null;
  }

  isReady(user: string): boolean {
    return this.#options.processTable.stateOf(displayProcessOf(user)) === "ready";
  }

  session(user: string): VncSession | null {
    const record = this.record(user);
    return (
      record && {
        kind: "private",
        session_id: "",
        session_name: user,
        display_name: `:${record.display}`,
        vnc_port: VNC_BASE_PORT + record.display,
        process: displayProcessOf(user),
      }
    );
  }

  webXDisplay(user: string): WebXDisplay {
    const record = this.record(user);
    if (record === null) return { known: false, running: false, ready: false, username: user, display_name: "", process: "" };
    const process = displayProcessOf(user);
    const isRunning = this.#options.processTable.livingRun(process) !== null;
    return { known: true, running: isRunning, ready: this.isReady(user), username: user, display_name: `:${record.display}`, process };
  }

  async #ensure(user: string): Promise<DisplayRecord> {
    const { records, processTable, clock, addProcess, startProcess } = this.#options;
    if (records === null) throw new MgrError("conflict", "this manager has no private displays: it has no state folder for them");
    const name = displayProcessOf(user);
    const known = records.get(user);
    const process = known && processTable.process(name);
    if (known && process) {
      const { state, requested_state } = process;
      // The host has not reported yet whether the display runs.
      if (processTable.isUnknown(name)) {
        if (requested_state !== "start") await startProcess(name, user);
        return known;
      }
      if (requested_state === "start" && ["waiting", "starting", "started", "ready"].includes(state)) return known;
      if (state === "error" && clock.monotonic() - (this.#started.get(user) ?? -Infinity) < FAILURE_PAUSE_MS) throw failed(name, process);
      if (state === "backoff" && !(await isDisplayUsed(known.display))) return known;
    }
    requireServer();
    const isAlive = process?.pid != null;
    const isKept = known !== null && (isAlive || (dirname(known.folder) === records.sockets() && !(await isDisplayUsed(known.display))));
    const record = isKept ? known : await this.#allot(user, records);
    prepareFolder(record);
    addProcess(displayDefinition(record, processTable.config));
    this.#started.set(user, clock.monotonic());
    await startProcess(name, user);
    return record;
  }

  /** Allocates a free number with an empty folder. */
  async #allot(user: string, records: DisplayRecords): Promise<DisplayRecord> {
    const { processTable } = this.#options;
    const sockets = records.sockets();
    const others = records.all().filter((record) => record.user !== user);
    const configured = [...processTable.config.processes.values()].flatMap(({ vnc }) => vnc?.display ?? []);
    const taken = new Set([...others.map((record) => record.display), ...configured]);
    const display = await freeDisplay(taken, sockets);
    if (display === null) throw new MgrError("conflict", "there is no free X display number left; stop X servers that are not used");
    const folder = join(sockets, `x${display}`);
    rmSync(folder, { recursive: true, force: true });
    const record = { user, display, folder };
    await records.set(record);
    return record;
  }
}

function failed(name: string, process: FailedProcess | undefined): MgrError {
  const { reason = null, signal = null, code = null } = process?.exit ?? {};
  const ended = signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`;
  const cause = reason ?? (process?.exit ? ended : "it was stopped");
  return new MgrError("conflict", `the private display could not be started: ${cause}. See the output of process '${name}'`);
}

function connected(path: string): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ path, allowHalfOpen: false });
    socket.once("connect", () => {
      socket.removeListener("error", fail);
      // Until the caller has the socket, no other listener handles its errors.
      socket.on("error", () => socket.destroy());
      resolve(socket);
    });
    const fail = (cause: Error) =>
      reject(
        new MgrError("not_running", `the VNC server of your private display does not accept a connection: ${cause.message}`, { cause }),
      );
    socket.once("error", fail);
  });
}
