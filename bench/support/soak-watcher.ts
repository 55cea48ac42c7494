import type { Client, Frame } from "./client.ts";

interface Process {
  readonly name: string;
  readonly state: string;
  readonly pid: number;
}

/**
 * A client that is connected all the time. It keeps its own copy of all processes by the events that it receives, which each snapshot has to
 * equal, and follows the offsets of the output that it receives: what is missing there was lost unless `skipped` says so.
 */
export class SoakWatcher {
  /** Differences between snapshots and events. */
  lostEvents = 0;
  lostBytes = 0;
  skippedBytes = 0;
  bytes = 0;
  #hasSnapshot = false;
  readonly #client: Client;
  readonly #processes = new Map<string, string>();
  readonly #offsets = new Map<string, { stream: string; offset: number }>();

  private constructor(client: Client) {
    this.#client = client;
  }

  /** `pattern`: the processes whose output it follows; they write ASCII. */
  static async start(client: Client, pattern: string): Promise<SoakWatcher> {
    const watcher = new SoakWatcher(client);
    client.ws.on("message", (data: Buffer) => watcher.#receive(JSON.parse(data.toString()) as Frame));
    await client.ask({ type: "get_snapshot" });
    await client.ask({ type: "subscribe_process_output", patterns: [pattern] });
    return watcher;
  }

  /** Compares its copy with a snapshot; `#receive` does so when it comes. */
  async compare(): Promise<void> {
    await this.#client.ask({ type: "get_snapshot" });
  }

  #receive(frame: Frame): void {
    if (frame.type === "process_upsert") this.#keep(frame.process as Process);
    else if (frame.type === "process_remove") this.#processes.delete(frame.name as string);
    else if (frame.type === "snapshot") this.#equal(frame.processes as Process[]);
    else if (frame.type === "process_output") this.#follow(frame);
  }

  #keep(process: Process): void {
    this.#processes.set(process.name, `${process.state} ${process.pid}`);
  }

  #equal(processes: readonly Process[]): void {
    // Events that came before the first one are in it.
    if (!this.#hasSnapshot) this.#processes.clear();
    const names = new Set(processes.map(({ name }) => name));
    for (const process of processes) {
      if (this.#hasSnapshot && this.#processes.get(process.name) !== `${process.state} ${process.pid}`) this.lostEvents++;
      this.#keep(process);
    }
    for (const name of this.#processes.keys()) {
      if (names.has(name)) continue;
      this.lostEvents++;
      this.#processes.delete(name);
    }
    this.#hasSnapshot = true;
  }

  #follow(frame: Frame): void {
    const name = String(frame.name);
    const stream = String(frame.stream_id);
    const offset = Number(frame.offset);
    const skipped = Number(frame.skipped ?? 0);
    const length = String(frame.output).length;
    this.bytes += length;
    this.skippedBytes += skipped;
    const before = this.#offsets.get(name);
    if (before?.stream === stream) this.lostBytes += Math.abs(offset - length - skipped - before.offset);
    this.#offsets.set(name, { stream, offset });
  }
}
