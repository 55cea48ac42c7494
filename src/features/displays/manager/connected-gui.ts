import { randomBytes } from "node:crypto";
import type { Duplex } from "node:stream";
import { MgrError } from "../../../base/errors.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import { withTimeout } from "../../../base/timing/wait.ts";
import type { ArrivingGui } from "./guis.ts";

/** Maximum number of X connections of one `mgr gui`, including those being opened. A desktop's X server accepts 256 clients by default. */
const MAX_CONNECTIONS = 256;
/** Time in which a `mgr gui` must open an X connection, milliseconds. */
const OPEN_TIMEOUT_MS = 20_000;
const ID_BYTES = 16;

/** The process that an X connection belongs to; shown to the user of the desktop. */
export interface XClient {
  readonly process: string;
  readonly host: string;
}

interface Opening {
  resolve(stream: Duplex): void;
  reject(error: MgrError): void;
}

/** One connected `mgr gui`, and its X connections. */
export class ConnectedGui {
  readonly #gui: ArrivingGui;
  readonly #clock: Clock;
  readonly #openings = new Map<string, Opening>();
  readonly #streams = new Set<Duplex>();
  #hasLeft = false;

  constructor(gui: ArrivingGui, clock: Clock) {
    this.#gui = gui;
    this.#clock = clock;
  }

  get desktop(): Pick<ArrivingGui, "peer" | "display"> {
    return this.#gui;
  }

  /** Notifies this `mgr gui` which one of its user gets new windows. */
  notifyCurrent(current: ConnectedGui): void {
    const { user } = this.#gui;
    this.#gui.send({ type: "gui_registered", username: user, is_current: current === this, current_peer: current.desktop.peer });
  }

  /** Opens a connection to the desktop's X server. Rejects if `mgr gui` opens none. */
  async open(client: XClient): Promise<Duplex> {
    if (this.#hasLeft) throw gone();
    if (this.#openings.size + this.#streams.size >= MAX_CONNECTIONS)
      throw new MgrError("busy", `the 'mgr gui' of '${this.#gui.user}' has ${MAX_CONNECTIONS} X connections; close some windows`);
    const id = randomBytes(ID_BYTES).toString("hex");
    const opened = new Promise<Duplex>((resolve, reject) => this.#openings.set(id, { resolve, reject }));
    const late = () => new MgrError("timeout", `the 'mgr gui' of '${this.#gui.user}' did not answer within ${OPEN_TIMEOUT_MS / 1_000} s`);
    this.#gui.send({ type: "open_x_connection", connection: id, ...client });
    try {
      return await withTimeout(opened, OPEN_TIMEOUT_MS, late, this.#clock);
    } finally {
      this.#openings.delete(id);
    }
  }

  isAwaited(connection: string): boolean {
    return this.#openings.has(connection);
  }

  deliver(connection: string, stream: Duplex): void {
    const opening = this.#openings.get(connection);
    if (opening === undefined) {
      stream.destroy();
      return;
    }
    this.#openings.delete(connection);
    this.#streams.add(stream);
    stream.once("close", () => this.#streams.delete(stream));
    opening.resolve(stream);
  }

  disconnect(): void {
    this.#hasLeft = true;
    for (const { reject } of this.#openings.values()) reject(gone());
    for (const stream of this.#streams) stream.destroy();
  }
}

function gone(): MgrError {
  return new MgrError("host_unavailable", "the connection to 'mgr gui' was lost");
}
