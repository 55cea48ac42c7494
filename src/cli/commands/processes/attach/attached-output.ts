import { MgrError } from "../../../../base/errors.ts";
import { pause, systemClock } from "../../../../base/timing/clock.ts";
import type { ManagerClient } from "../../../../client/manager-client.ts";
import { OutputJoin, type OutputPlace, outputAfter } from "../../../../client/output-join.ts";

/** All that a host has of a process, lines: the terminal continues where it was. */
const ALL_LINES = 100_000;
/** Pause between requests of output from a manager that does not have the host yet, milliseconds. */
const AGAIN_MS = 200;

interface AttachedOutputOptions {
  /** Called when the process has written output. */
  readonly heard: () => void;
  /** Shows a message to the user. */
  readonly note: (text: string) => void;
}

/** Prints the output of a process, over one connection after the other, without loss or repetition. */
export class AttachedOutput {
  readonly #name: string;
  readonly #options: AttachedOutputOptions;
  #join = new OutputJoin();
  /** Where an earlier connection ended. */
  #place: OutputPlace | null = null;
  #unsubscribe = () => {};

  constructor(name: string, options: AttachedOutputOptions) {
    this.#name = name;
    this.#options = options;
  }

  /** Live output is held until the returned function was called, which returns the past output. */
  async begin(client: ManagerClient, lines: number): Promise<() => string> {
    const join = this.#follow(client);
    const backlog = await client.request({ type: "get_process_output", name: this.#name, lines });
    return () => join.backlog(backlog);
  }

  /** Continues over another connection with the byte after the last one that was printed. Rejects when that connection is lost, too. */
  async goOn(client: ManagerClient): Promise<void> {
    // A connection that was lost before its backlog arrived has printed nothing.
    const place = this.#join.end ?? this.#place;
    this.#place = place;
    const join = this.#follow(client);
    const backlog = await this.#whole(client);
    const { text, skipped } = place === null ? { text: backlog.output, skipped: 0 } : outputAfter(backlog, place);
    if (skipped > 0) this.#options.note(`${skipped} bytes of output are not kept any more`);
    process.stdout.write(join.backlog({ ...backlog, output: text }));
    this.#options.heard();
  }

  leave(): void {
    this.#unsubscribe();
  }

  /** Subscribed before the request, so that nothing is missed in between. */
  #follow(client: ManagerClient): OutputJoin {
    this.leave();
    const join = new OutputJoin();
    this.#join = join;
    const subscription = client.output$(this.#name).subscribe((frame) => {
      const { end } = join;
      const fresh = join.live(frame);
      const isNew = end !== null && join.end !== end;
      if (isNew && frame.skipped !== undefined)
        this.#options.note(`${frame.skipped} bytes were skipped: they came faster than they could be shown`);
      process.stdout.write(fresh);
      this.#options.heard();
    });
    this.#unsubscribe = () => subscription.unsubscribe();
    return join;
  }

  /** A manager that has just started may not have its host yet; the wait ends with the connection. */
  async #whole(client: ManagerClient) {
    for (;;) {
      try {
        return await client.request({ type: "get_process_output", name: this.#name, lines: ALL_LINES });
      } catch (error) {
        if (!(error instanceof MgrError && error.code === "host_unavailable") || client.connectionProblem !== "") throw error;
        await pause(systemClock, AGAIN_MS);
      }
    }
  }
}
