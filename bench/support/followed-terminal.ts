import type { ManagerClient } from "../../src/client/manager-client.ts";
import { OutputJoin } from "../../src/client/output-join.ts";
import { sleep } from "./figure.ts";
import { NumberedLines } from "./numbered-lines.ts";

const RETRY_MS = 100;
/** All that the host has. */
const LINES = 100_000;

/** A viewer of a terminal, which continues after each opening of its connection, as `mgr_client` programs and the page do. */
export class FollowedTerminal {
  readonly lines = new NumberedLines();
  readonly #client: ManagerClient;
  readonly #name: string;
  #join = new OutputJoin();

  constructor(client: ManagerClient, name: string) {
    this.#client = client;
    this.#name = name;
    client.output$(name).subscribe((frame) => this.lines.add(this.#join.live(frame)));
    client.link.state$.subscribe(({ kind }) => {
      if (kind === "open") void this.#begin();
    });
  }

  async #begin(): Promise<void> {
    const join = new OutputJoin();
    this.#join = join;
    this.lines.cut();
    // The manager may not have its host back yet.
    while (this.#join === join) {
      const backlog = await this.#client.request({ type: "get_process_output", name: this.#name, lines: LINES }).catch(() => null);
      if (backlog !== null) return this.#join === join ? this.lines.add(join.backlog(backlog)) : undefined;
      await sleep(RETRY_MS);
    }
  }
}
