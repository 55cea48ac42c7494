import type { ManagerClient } from "../../../../client/manager-client.ts";
import { CommandFailure, EXIT } from "../../../command/exit-codes.ts";
import { whileConnected } from "../../../manager/connection.ts";

/** Time limit for a manager to come back with its hosts, milliseconds: Node and the adoption of 1,000 processes take seconds on a busy machine. */
const BACK_MS = 30_000;

interface AttachedLinkOptions {
  readonly reconnect: ((signal: AbortSignal) => Promise<ManagerClient>) | null;
  /** Shows a message to the user. */
  readonly note: (text: string) => void;
  /** Ends the wait for a manager; default: BACK_MS after its beginning. */
  readonly limit?: () => AbortSignal;
}

interface LinkListener {
  /** The connection is lost, and another one is being opened. */
  readonly lost: () => void;
  /** Continues over another connection. Rejects if that is lost, too. */
  readonly back: (client: ManagerClient) => Promise<void>;
}

/** The connection of `mgr attach`: another one is opened when the manager has been replaced. */
export class AttachedLink {
  readonly #first: ManagerClient;
  readonly #options: AttachedLinkOptions;
  #client: ManagerClient;

  constructor(client: ManagerClient, options: AttachedLinkOptions) {
    this.#first = client;
    this.#client = client;
    this.#options = options;
  }

  /** The newest connection. */
  get client(): ManagerClient {
    return this.#client;
  }

  /** Settles as `work` does. Rejects with the reason when the connection ends and no other can be opened. */
  async follow(work: Promise<void>, { lost, back }: LinkListener): Promise<void> {
    for (;;) {
      const end = await endOf(this.#client, work);
      const { reconnect } = this.#options;
      if (end === null) return;
      if (reconnect === null) throw end;
      lost();
      this.#options.note(`${end.message}. Reconnecting; Ctrl-] detaches`);
      const over = new AbortController();
      try {
        // `work` ends the wait, too.
        if ((await Promise.race([work.then(() => "over"), this.#reopen(reconnect, { back, end, over: over.signal })])) === "over") return;
      } finally {
        over.abort();
      }
      this.#options.note("connected again");
    }
  }

  /** Closes the connections that it has opened. */
  close(): void {
    if (this.#client !== this.#first) this.#client.close();
  }

  async #reopen(
    reconnect: (signal: AbortSignal) => Promise<ManagerClient>,
    { back, end, over }: { back: LinkListener["back"]; end: CommandFailure; over: AbortSignal },
  ): Promise<void> {
    const limit = this.#options.limit?.() ?? AbortSignal.timeout(BACK_MS);
    const signal = AbortSignal.any([limit, over]);
    for (;;) {
      const client = await reconnect(signal).catch((error: unknown) => {
        throw limit.aborted ? tooLate(end) : error;
      });
      this.close();
      this.#client = client;
      try {
        await whileConnected(client, () => withinLimit(back(client), limit, end));
        return;
      } catch (error) {
        // The connection was lost again before everything had arrived.
        if (limit.aborted || client.connectionProblem === "") throw error;
      }
    }
  }
}

/** Resolves with null when `work` is done, or with the reason of the connection's end. Rejects as `work` does. */
async function endOf(client: ManagerClient, work: Promise<void>): Promise<CommandFailure | null> {
  try {
    await whileConnected(client, () => work);
    return null;
  } catch (error) {
    if (error instanceof CommandFailure && client.connectionProblem !== "") return error;
    throw error;
  }
}

function withinLimit(work: Promise<void>, limit: AbortSignal, end: CommandFailure): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = () => reject(tooLate(end));
    if (limit.aborted) late();
    limit.addEventListener("abort", late, { once: true });
    work.then(resolve, reject).finally(() => limit.removeEventListener("abort", late));
  });
}

const tooLate = (end: CommandFailure) =>
  new CommandFailure(EXIT.failed, `${end.message}; it did not come back within ${BACK_MS / 1_000} s`);
