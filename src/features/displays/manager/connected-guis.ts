import type { Duplex } from "node:stream";
import { MgrError } from "../../../base/errors.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import type { LogBook } from "../../../log/log-book.ts";
import { ConnectedGui, type XClient } from "./connected-gui.ts";
import type { ArrivingGui, Guis } from "./guis.ts";

/** Maximum number of connected `mgr gui` of one user. */
const MAX_GUIS_OF_USER = 16;

interface ConnectedGuisOptions {
  clock: Clock;
  log: LogBook;
}

/** The connected `mgr gui` of each user. New windows go to the one that was connected last. */
export class ConnectedGuis implements Guis {
  readonly #options: ConnectedGuisOptions;
  /** Connected `mgr gui` by user, in the order of connection. */
  readonly #byUser = new Map<string, ConnectedGui[]>();
  #changed: (user: string) => void = () => {};

  constructor(options: ConnectedGuisOptions) {
    this.#options = options;
  }

  /** `listener` is called when another `mgr gui` of a user gets new windows, or none does any longer. */
  onChange(listener: (user: string) => void): void {
    this.#changed = listener;
  }

  enter(arriving: ArrivingGui): () => void {
    const { user, peer } = arriving;
    const others = this.#byUser.get(user) ?? [];
    if (others.length >= MAX_GUIS_OF_USER)
      throw new MgrError("busy", `'${user}' has ${MAX_GUIS_OF_USER} connected 'mgr gui' already; end some`);
    const gui = new ConnectedGui(arriving, this.#options.clock);
    this.#set(user, [...others, gui]);
    const from = peer === null ? "this machine" : peer;
    this.#options.log.info(`the X display of '${user}' is connected from ${from}`);
    return () => {
      gui.disconnect();
      const left = this.#byUser.get(user) ?? [];
      this.#set(
        user,
        left.filter((each) => each !== gui),
      );
      this.#options.log.info(`the X display of '${user}' from ${from} is disconnected`);
    };
  }

  isAwaited(user: string, connection: string): boolean {
    return this.#awaiting(user, connection) !== undefined;
  }

  deliver(user: string, connection: string, stream: Duplex): void {
    const gui = this.#awaiting(user, connection);
    if (gui === undefined) stream.destroy();
    else gui.deliver(connection, stream);
  }

  /** The desktop that gets new windows of processes of `user`; null: none is connected. */
  desktopOf(user: string): Pick<ArrivingGui, "peer" | "display"> | null {
    return this.#byUser.get(user)?.at(-1)?.desktop ?? null;
  }

  /** Opens a connection to the X server of the user's desktop; `mgr gui` replaces the cookie of the setup packet. */
  async connect(user: string, client: XClient): Promise<Duplex> {
    const gui = this.#byUser.get(user)?.at(-1);
    if (gui === undefined)
      throw new MgrError("not_running", `no X display of '${user}' is connected: run 'mgr gui' on the desktop as this user`);
    return gui.open(client);
  }

  #awaiting(user: string, connection: string): ConnectedGui | undefined {
    return this.#byUser.get(user)?.find((gui) => gui.isAwaited(connection));
  }

  #set(user: string, guis: ConnectedGui[]): void {
    const before = this.#byUser.get(user)?.at(-1);
    const current = guis.at(-1);
    if (current === undefined) this.#byUser.delete(user);
    else this.#byUser.set(user, guis);
    if (before === current) return;
    if (current !== undefined) for (const gui of guis) gui.notifyCurrent(current);
    this.#changed(user);
  }
}
