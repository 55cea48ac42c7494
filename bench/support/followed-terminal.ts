import type { ManagerClient } from "../../src/client/manager-client.ts";
import { OutputJoin, type OutputPlace, outputAfter } from "../../src/client/output-join.ts";
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
  /** Where an earlier connection ended. */
  #place: OutputPlace | null = null;

  constructor(client: ManagerClient, name: string) {
    this.#client = client;
    this.#name = name;
    client.output$(name).subscribe((frame) => {
      this.lines.toldMissingBytes += frame.skipped ?? 0;
      this.lines.add(this.#join.live(frame));
    });
    client.link.state$.subscribe(({ kind }) => {
      if (kind === "open") void this.#begin();
    });
  }

  async #begin(): Promise<void> {
    const join = new OutputJoin();
    this.#place = this.#join.end ?? this.#place;
    this.#join = join;
    this.lines.cut();
    // The manager may not have its host back yet.
    while (this.#join === join) {
      const backlog = await this.#client.request({ type: "get_process_output", name: this.#name, lines: LINES }).catch(() => null);
      if (this.#join !== join) return;
      if (backlog !== null) {
        if (this.#place !== null) this.lines.toldMissingBytes += outputAfter(backlog, this.#place).skipped;
        return this.lines.add(join.backlog(backlog));
      }
      await sleep(RETRY_MS);
    }
  }
}
