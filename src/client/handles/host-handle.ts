import { MgrError } from "../../base/errors.ts";
import type { HostEntry, Process } from "../../protocol/resources/resources.ts";
import type { ManagerConnection } from "../manager-connection.ts";
import { onEachOpening, type WaitOptions, waitFor } from "../wait.ts";

/** A host of a manager, by its canonical name or any other, over any link. */
export class HostHandle {
  readonly name: string;
  readonly #client: ManagerConnection;

  constructor(client: ManagerConnection, name: string) {
    this.#client = client;
    this.name = name;
  }

  /** The host as it is now. Rejects with `not_found`. */
  async get(): Promise<HostEntry> {
    await this.#client.mirror.current();
    return this.#newest();
  }

  /** The processes that belong to it now. */
  async processes(): Promise<Process[]> {
    const { name } = await this.get();
    return this.#client.mirror.processes().filter((process) => process.host === name);
  }

  /** Resolves when its daemon accepts commands. */
  waitUntilReady(options: WaitOptions = {}): Promise<HostEntry> {
    return this.#until("its daemon's readiness", (host) => host.daemon_ready, options);
  }

  /** Resolves when its daemon cannot be reached any more. */
  waitUntilLost(options: WaitOptions = {}): Promise<HostEntry> {
    return this.#until("the loss of its daemon", (host) => !host.daemon_ready, options);
  }

  #until(what: string, reached: (host: HostEntry) => boolean, options: WaitOptions): Promise<HostEntry> {
    const client = this.#client;
    const { mirror } = client;
    return waitFor({
      client,
      subject: `host '${this.name}'`,
      what,
      options,
      context: () => Promise.resolve(""),
      begin: async ({ subscription, resolve }) => {
        const check = () => {
          const host = this.#newest();
          if (reached(host)) resolve(host);
        };
        await onEachOpening(client, subscription, () => mirror.current());
        check();
        subscription.add(mirror.changes$.subscribe((name) => name === null && check()));
      },
    });
  }

  #newest(): HostEntry {
    const host = this.#client.mirror.host(this.name);
    if (host === undefined) throw new MgrError("not_found", `there is no host '${this.name}'`);
    return host;
  }
}
