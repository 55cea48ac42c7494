import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { WebSocket } from "ws";

/** Commands of one client that wait for their answers. */
const PENDING = 4;

/** A client that gives commands one after the other, each with an id of its own, until its connection ends. */
class StormClient {
  readonly accepted: string[] = [];
  readonly refused: string[] = [];
  readonly ended: Promise<void>;
  readonly #ws: WebSocket;
  readonly #name: string;
  readonly #processes: readonly string[];
  readonly #onAnswer: () => void;
  #given = 0;

  constructor(
    url: string,
    authorization: string,
    { name, processes, onAnswer }: { name: string; processes: readonly string[]; onAnswer: () => void },
  ) {
    this.#name = name;
    this.#processes = processes;
    this.#onAnswer = onAnswer;
    this.#ws = new WebSocket(url, { headers: { authorization }, perMessageDeflate: false });
    this.ended = new Promise((resolve) => this.#ws.once("close", () => resolve()));
    this.#ws.on("error", () => {});
    this.#ws.on("message", (data) => this.#receive(String(data)));
    this.#ws.once("open", () => {
      for (let count = 0; count < PENDING; count++) this.#give();
    });
  }

  terminate(): void {
    this.#ws.terminate();
  }

  #receive(text: string): void {
    const { type, request_id: id } = JSON.parse(text) as { type: string; request_id?: string };
    if (id === undefined || (type !== "ack" && type !== "error")) return;
    (type === "ack" ? this.accepted : this.refused).push(id);
    this.#give();
    this.#onAnswer();
  }

  #give(): void {
    const count = this.#given++;
    const name = this.#processes[count % this.#processes.length];
    const id = `${this.#name}-${count}`;
    const frame = count % 2 === 0 ? { type: "start_process" } : { type: "set_process_low_delay_output", enabled: count % 4 === 1 };
    if (this.#ws.readyState === WebSocket.OPEN) this.#ws.send(JSON.stringify({ ...frame, name, request_id: id }));
  }
}

interface StormOptions {
  readonly url: string;
  readonly authorization: string;
  /** A name that no other storm of the test has. */
  readonly name: string;
  readonly clients: number;
  readonly processes: readonly string[];
  /** Number of accepted commands at which `end` is called. */
  readonly commands: number;
  /** Ends the connections, for example by killing the manager. */
  readonly end?: () => void;
}

/** Commands of several clients at once. Resolves with the ids of those that were accepted. */
export async function commandStorm({ url, authorization, name, clients, processes, commands, end }: StormOptions): Promise<string[]> {
  let answers = 0;
  const onAnswer = () => {
    if (++answers !== commands) return;
    end?.();
    if (end === undefined) for (const client of storm) client.terminate();
  };
  const storm = Array.from(
    { length: clients },
    (_, index) => new StormClient(`${url}/ws?log_only=0`, authorization, { name: `${name}-${index}`, processes, onAnswer }),
  );
  await Promise.all(storm.map(({ ended }) => ended));
  const refused = storm.flatMap((client) => client.refused);
  if (refused.length > 0) throw new Error(`${refused.length} commands were refused`);
  return storm.flatMap(({ accepted }) => accepted);
}

/** How often each id of a client is recorded in the audit of a state folder. */
export function recordedIds(stateDir: string): Map<string, number> {
  const folder = join(stateDir, "audit");
  const counts = new Map<string, number>();
  for (const file of readdirSync(folder).filter((each) => each.endsWith(".jsonl")))
    for (const line of readFileSync(join(folder, file), "utf8").split("\n")) {
      const [, id] = /"event":"requested".*"request_id":"([^"]+)"/.exec(line) ?? [];
      if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
    }
  return counts;
}
