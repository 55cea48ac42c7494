import { randomBytes, randomUUID } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MgrError, messageOf } from "../../../base/errors.ts";
import { ThrottledWarning } from "../../../base/throttled-warning.ts";
import { type Clock, pause } from "../../../base/timing/clock.ts";
import type { RunId } from "../../../contract/fields.ts";
import type { RunSpec } from "../../../contract/run.ts";
import { accountOf } from "../../../daemon/process/accounts.ts";
import type { X11Waiting } from "../contract.ts";
import type { X11Setup } from "../x11/setup.ts";
import { COOKIE_BYTES, MIT_COOKIE, xauthorityOf } from "../x11/xauthority.ts";
import { DisplayListener } from "./display-listener.ts";
import { refuseClient } from "./read-setup.ts";

/** Interval for repeating an announcement, which may be lost, milliseconds. */
const REPEAT_MS = 1_000;
/** Maximum time that a client waits for the manager, milliseconds. */
const ACCEPT_TIMEOUT_MS = 10_000;

interface ForwardedDisplaysOptions {
  /** Folder for cookie files; files of an earlier daemon in it are removed. Null: a temporary folder. */
  readonly folder: string | null;
  readonly clock: Clock;
  readonly hasManager: () => boolean;
  readonly announce: (waiting: X11Waiting) => void;
  readonly log: (level: "warning", msg: string, about?: readonly string[]) => void;
}

interface WaitingClient {
  readonly socket: Socket;
  readonly setup: X11Setup;
  readonly name: string;
  /** Ends the announcements. */
  readonly accepted: AbortController;
}

/** The X displays of runs whose clients are passed to the manager. */
export class ForwardedDisplays {
  readonly #options: ForwardedDisplaysOptions;
  readonly #listeners = new Map<RunId, DisplayListener>();
  readonly #waiting = new Map<string, WaitingClient>();
  readonly #refused: ThrottledWarning;
  #folder: string | null = null;

  constructor(options: ForwardedDisplaysOptions) {
    this.#options = options;
    this.#refused = new ThrottledWarning((_level, msg, about) => options.log("warning", msg, about));
  }

  /** Makes a display for a run that is about to start. Rejects with `spawn_failed`. */
  async begin(runId: RunId, { name, user }: Pick<RunSpec, "name" | "user">): Promise<{ display: string; authority: string }> {
    try {
      const cookie = randomBytes(COOKIE_BYTES);
      const folder = join(this.#makeFolder(), runId);
      mkdirSync(folder, { mode: 0o700 });
      const authority = join(folder, "Xauthority");
      writeFileSync(authority, xauthorityOf(cookie), { mode: 0o600 });
      const listener = await DisplayListener.open({
        cookie: { name: MIT_COOKIE, data: cookie },
        users: usersOf(user),
        onClient: (socket, setup) => void this.#offer(runId, name, socket, setup),
        onRefused: (reason) => this.#warn(name, reason),
      });
      this.#listeners.set(runId, listener);
      return { display: listener.display, authority };
    } catch (cause) {
      this.end(runId);
      throw new MgrError("spawn_failed", `no X display can be forwarded for the process: ${messageOf(cause)}`, { cause });
    }
  }

  /** Removes the display of a run that is extinct, or could not be started. */
  end(runId: RunId): void {
    this.#listeners.get(runId)?.close();
    this.#listeners.delete(runId);
    if (this.#folder !== null) rmSync(join(this.#folder, runId), { recursive: true, force: true });
  }

  /** Returns a client that the manager accepts; its setup packet is still to be read. */
  accept(connection: string): { socket: Socket; name: string } {
    const client = this.#waiting.get(connection);
    if (client === undefined) throw new MgrError("not_found", "this X client does not wait any more");
    this.#settle(connection);
    return client;
  }

  /** Refuses all waiting clients, because the manager is gone. */
  managerLost(): void {
    for (const connection of this.#waiting.keys()) this.#refuse(connection, "the link to the manager was lost");
  }

  close(): void {
    for (const runId of this.#listeners.keys()) this.end(runId);
    if (this.#folder !== null) rmSync(this.#folder, { recursive: true, force: true });
  }

  async #offer(runId: RunId, name: string, socket: Socket, setup: X11Setup): Promise<void> {
    const { hasManager, announce, clock } = this.#options;
    const connection = randomUUID();
    const accepted = new AbortController();
    this.#waiting.set(connection, { socket, setup, name, accepted });
    socket.once("close", () => this.#settle(connection));
    if (!hasManager()) return this.#refuse(connection, "no manager is connected to this host at the moment; try again later");
    for (let waited = 0; waited < ACCEPT_TIMEOUT_MS; waited += REPEAT_MS) {
      announce({ connection, run_id: runId, name });
      await pause(clock, REPEAT_MS, accepted.signal).catch(() => {});
      if (accepted.signal.aborted) return;
    }
    this.#refuse(connection, `the manager did not take the connection within ${ACCEPT_TIMEOUT_MS / 1_000} s`);
  }

  #refuse(connection: string, reason: string): void {
    const client = this.#waiting.get(connection);
    if (client === undefined) return;
    this.#settle(connection);
    this.#warn(client.name, reason);
    refuseClient(client.socket, client.setup, reason);
  }

  #settle(connection: string): void {
    this.#waiting.get(connection)?.accepted.abort();
    this.#waiting.delete(connection);
  }

  #warn(name: string, reason: string): void {
    this.#refused.warn(`'${name}': an X client was refused: ${reason}`, [name]);
  }

  #makeFolder(): string {
    const { folder } = this.#options;
    if (this.#folder === null && folder !== null) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder, { mode: 0o700 });
    }
    this.#folder ??= folder ?? mkdtempSync(join(tmpdir(), "mgr-x11-"));
    return this.#folder;
  }
}

/** The users of the daemon and of the run. */
function usersOf(user: string | null): number[] {
  const own = process.geteuid?.() ?? 0;
  return [own, accountOf(user)?.uid ?? own];
}
