import type { Socket } from "node:net";
import { type DescriptorBudget, descriptorBudget } from "../../carriers/descriptor-budget.ts";

/** The connections of a TCP listener whose clients have to log in. If there is no room, the oldest one whose client has not logged in is closed. */
export class ClientSockets {
  readonly #budget: DescriptorBudget;
  readonly #most: number;
  /** Sockets whose clients have not logged in yet, oldest first. */
  readonly #unknown = new Set<Socket>();
  readonly #all = new Set<Socket>();

  /** `wanted`: maximum number of connections, less if the limit of open files does not allow as many. */
  constructor(wanted: number, budget = descriptorBudget) {
    this.#budget = budget;
    this.#most = budget.partOf(wanted);
  }

  /** `refused`: there is no room; the caller informs the client and closes it. `cut`: already closed, because too many clients are being informed. */
  admit(socket: Socket): "admitted" | "refused" | "cut" {
    if (this.#accept(socket) || (this.#makeRoom() && this.#accept(socket))) {
      this.#all.add(socket);
      this.#unknown.add(socket);
      socket.once("close", () => this.#forget(socket));
      return "admitted";
    }
    if (this.#budget.acquire(socket, "refusal")) return "refused";
    socket.destroy();
    return "cut";
  }

  /** Called when the client has logged in. */
  keep(socket: Socket): void {
    this.#unknown.delete(socket);
  }

  #accept(socket: Socket): boolean {
    return this.#all.size < this.#most && this.#budget.acquire(socket, "client");
  }

  #makeRoom(): boolean {
    const [oldest] = this.#unknown;
    if (oldest === undefined) return false;
    this.#forget(oldest);
    this.#budget.release(oldest);
    oldest.destroy();
    return true;
  }

  #forget(socket: Socket): void {
    this.#all.delete(socket);
    this.#unknown.delete(socket);
  }
}
