import { MgrError } from "../../../base/errors.ts";
import type { Requester } from "../../../client/requests.ts";
import type { DaemonLogger } from "../wire.ts";

/** Configuration of a logger: `log_size` samples of each topic, every `divisor`-th; `only_ts` keeps times without payload. */
export interface LoggerConfiguration {
  readonly only_ts?: boolean;
  readonly topics: readonly { readonly name: string; readonly log_size: number; readonly divisor?: number }[];
}

/** A data logger of a manager, over any link. Methods reject with the manager's errors: `not_found`, `conflict` … */
export class LoggerHandle {
  readonly name: string;
  readonly #client: Requester;

  constructor(client: Requester, name: string) {
    this.#client = client;
    this.name = name;
  }

  /** The logger as it is now. Rejects with `not_found`. */
  async get(): Promise<DaemonLogger> {
    const { loggers } = await this.#client.request({ type: "request_loggers" });
    const logger = loggers.find(({ name }) => name === this.name);
    if (logger === undefined) throw new MgrError("not_found", `there is no logger '${this.name}'`);
    return logger;
  }

  /** Creates or changes the logger. Rejects with `conflict` while it records. */
  async configure({ only_ts = false, topics }: LoggerConfiguration): Promise<void> {
    const requested = topics.map(({ name, log_size, divisor = 1 }) => ({ name, log_size, divisor }));
    await this.#client.request({ type: "configure_logger", name: this.name, only_ts, topics: requested });
  }

  /** Starts recording. */
  async start(): Promise<void> {
    await this.#client.request({ type: "start_logger", name: this.name });
  }

  /** Stops recording; samples are kept. */
  async stop(): Promise<void> {
    await this.#client.request({ type: "stop_logger", name: this.name });
  }

  /** Deletes the logger and its samples. */
  async delete(): Promise<void> {
    await this.#client.request({ type: "delete_logger", name: this.name });
  }
}
