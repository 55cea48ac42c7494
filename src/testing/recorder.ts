import { exitText } from "../client/handles/exit-text.ts";
import type { ManagerClient } from "../client/manager-client.ts";
import type { Process, ProcessState } from "../protocol/resources/resources.ts";
import { mermaidSequence } from "./mermaid.ts";
import type { RecordedEvent } from "./recorded-event.ts";

export interface RecorderOptions {
  /** Names of processes whose output is recorded as well, line by line. */
  output?: readonly string[];
}

/** Records what a connection sees: every change of state, in order, and lines of output if requested. */
export class Recorder implements Disposable {
  readonly events: RecordedEvent[] = [];
  readonly #client: ManagerClient;
  readonly #begin: number;
  readonly #newest = new Map<string, { to: ProcessState; why: string }>();
  readonly #subscriptions: { unsubscribe(): void }[] = [];

  /** Starts to record. Earlier states count as unknown. */
  constructor(from: ManagerClient | { readonly client: ManagerClient }, { output = [] }: RecorderOptions = {}) {
    this.#client = "client" in from ? from.client : from;
    this.#begin = this.#client.clock.monotonic();
    this.#subscriptions.push(
      this.#client.frames$.subscribe((frame) => {
        if (frame.type === "process_upsert") this.#noteState(frame.process);
        else if (frame.type === "process_remove") this.#newest.delete(frame.name);
      }),
    );
    for (const name of output) this.#followOutput(name);
  }

  /** One line for each event, without times: `db: starting → started`, `db| listening`. For comparison with expected lines. */
  get lines(): string[] {
    return this.events.map((each) => {
      if (each.kind === "output") return `${each.name}| ${each.line}`;
      return each.from === null ? `${each.name}: ${each.to}` : `${each.name}: ${each.from} → ${each.to}`;
    });
  }

  /** Text for people: one line for each event with time and reason, `   1.250 s  db  started → error (exit code 3)`. */
  text(): string {
    const width = Math.max(0, ...this.events.map(({ name }) => name.length));
    const rows = this.events.map((each) => {
      const head = `${(each.at / 1_000).toFixed(3).padStart(8)} s  ${each.name.padEnd(width)}`;
      if (each.kind === "output") return `${head}  | ${each.line}`;
      const why = each.why === "" ? "" : ` (${each.why})`;
      return `${head}  ${each.from === null ? each.to : `${each.from} → ${each.to}`}${why}`;
    });
    return rows.join("\n");
  }

  /** Text for pages that draw Mermaid: a sequence diagram of the manager and the processes. */
  mermaid(): string {
    return mermaidSequence(this.events);
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#subscriptions.splice(0)) subscription.unsubscribe();
  }

  #noteState(process: Process): void {
    const { name, state } = process;
    const why = reasonOf(process);
    const before = this.#newest.get(name);
    if (before?.to === state) {
      // The dependencies that a process waits for are reported after the state itself.
      if (before.why === "") before.why = why;
      return;
    }
    const event = { kind: "state" as const, at: this.#elapsed(), name, from: before?.to ?? null, to: state, why };
    this.#newest.set(name, event);
    this.events.push(event);
  }

  #followOutput(name: string): void {
    let rest = "";
    const note = (line: string) => this.events.push({ kind: "output", at: this.#elapsed(), name, line });
    this.#subscriptions.push(
      this.#client.output$(name).subscribe(({ output }) => {
        const lines = (rest + output).split(/\r?\n/);
        rest = lines.pop() ?? "";
        for (const line of lines) note(line);
      }),
    );
  }

  #elapsed(): number {
    return Math.round(this.#client.clock.monotonic() - this.#begin);
  }
}

function reasonOf(process: Process): string {
  if (process.state === "waiting") return process.waiting_for.length === 0 ? "" : `for ${process.waiting_for.join(", ")}`;
  return process.state === "backoff" || process.state === "error" || process.state === "stopped" ? exitText(process) : "";
}
