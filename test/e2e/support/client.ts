import { once } from "node:events";
import { WebSocket } from "ws";
import { frameConforms } from "../../contract/check.ts";

export interface Frame {
  readonly type: string;
  // Frames are looked at by the assertions of the tests, not by types.
  readonly [field: string]: unknown;
}

/** The fields of a process that tests look at. */
export interface ProcessView {
  readonly name: string;
  readonly state: string;
  readonly requested_state: string;
  readonly pid: number | null;
  readonly exit: { code: number | null; signal: string | null; reason: string | null } | null;
  readonly restarts: number;
  readonly next_start_time: string | null;
  readonly waiting_for: string[];
  readonly host_ready: boolean;
  readonly start_time: string | null;
  readonly stop_time: string | null;
  readonly [field: string]: unknown;
}

/** What a wait takes at most, milliseconds. */
const WAIT_MS = 60_000;

/** A WebSocket client that keeps every frame in order, and checks each against the tables of test/contract. */
export class Client {
  readonly ws: WebSocket;
  readonly frames: Frame[] = [];
  /** What is wrong with frames that came: has to be empty at the end of every test. */
  readonly problems: string[] = [];
  /** Types of frames and names of tables that came. */
  readonly seen = new Set<string>();
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #listeners = new Set<() => void>();
  #requests = 0;
  #gone: string | null = null;

  constructor(ws: WebSocket) {
    this.ws = ws;
    ws.on("error", () => {});
    ws.on("message", (data, isBinary) => {
      if (isBinary) this.problems.push("a binary frame came");
      const frame = JSON.parse(String(data)) as Frame;
      this.problems.push(...frameConforms(frame, this.seen));
      this.frames.push(frame);
      this.#wake();
    });
    this.closed = new Promise((resolve) =>
      ws.once("close", (code, reason) => {
        this.#gone = `the connection was closed with ${code} '${reason}'`;
        this.#wake();
        resolve({ code, reason: String(reason) });
      }),
    );
  }

  static async open(url: string, headers: Record<string, string>): Promise<Client> {
    const client = new Client(new WebSocket(url, { headers, perMessageDeflate: false }));
    const refused = new Promise<never>((_, reject) => {
      client.ws.once("unexpected-response", (_request, response) => {
        client.ws.terminate();
        reject(new Error(`the upgrade was answered with ${response.statusCode}`));
      });
      client.ws.once("error", reject);
    });
    await Promise.race([once(client.ws, "open"), refused]);
    return client;
  }

  send(frame: object): void {
    this.ws.send(JSON.stringify(frame));
  }

  /** A place in the stream of frames: what comes after it can be waited for. */
  get here(): number {
    return this.frames.length;
  }

  /** The first frame from `from` on for which `test` holds; waits for it. */
  async until(what: string, test: (frame: Frame) => boolean, from = 0): Promise<Frame> {
    let next = from;
    const look = () => {
      for (; next < this.frames.length; next++) {
        const frame = this.frames[next];
        if (frame && test(frame)) return frame;
      }
      return undefined;
    };
    return this.#wait(what, look);
  }

  /** Sends a frame with a request_id and waits for its answer, whatever that is. */
  async ask(frame: object): Promise<Frame> {
    const request_id = `request ${++this.#requests}`;
    const from = this.here;
    this.send({ ...frame, request_id });
    return this.until(`answer to ${JSON.stringify(frame).slice(0, 200)}`, (answer) => answer.request_id === request_id, from);
  }

  /** Sends a command and insists that it was accepted. */
  async command(frame: object): Promise<void> {
    const answer = await this.ask(frame);
    if (answer.type !== "ack") throw new Error(`${JSON.stringify(frame)} was answered by ${JSON.stringify(answer)}`);
  }

  async snapshot(): Promise<Frame> {
    return this.ask({ type: "get_snapshot" });
  }

  /** The process as a snapshot shows it now. */
  async process(name: string): Promise<ProcessView> {
    const { processes } = await this.snapshot();
    const found = (processes as ProcessView[]).find((process) => process.name === name);
    if (!found) throw new Error(`the snapshot has no process '${name}'`);
    return found;
  }

  /** Waits for an upsert that shows `name` in `state`, from `from` on. */
  async untilState(name: string, state: string, from = 0): Promise<ProcessView> {
    const frame = await this.until(
      `'${name}' in state '${state}', not only ${this.states(name, from).join(", ")}`,
      (upsert) => upsert.type === "process_upsert" && isOf(upsert, name).state === state,
      from,
    );
    return frame.process as ProcessView;
  }

  /** The states that upserts showed, each change once. */
  states(name: string, from = 0): string[] {
    const states: string[] = [];
    for (const frame of this.frames.slice(from)) {
      if (frame.type !== "process_upsert") continue;
      const { state } = isOf(frame, name);
      if (state !== undefined && state !== states.at(-1)) states.push(state);
    }
    return states;
  }

  /** Output of a process as it came, from `from` on. */
  output(name: string, from = 0): string {
    return this.frames
      .slice(from)
      .filter((frame) => frame.type === "process_output" && frame.name === name)
      .map((frame) => frame.output)
      .join("");
  }

  async untilOutput(name: string, test: string | RegExp, from = 0): Promise<string> {
    return this.#wait(`output of '${name}' with ${String(test)}`, () => {
      const output = this.output(name, from);
      return (typeof test === "string" ? output.includes(test) : test.test(output)) ? output : undefined;
    });
  }

  /** Log messages that came live. */
  logged(from = 0): string[] {
    return this.frames
      .slice(from)
      .filter((frame) => frame.type === "log_batch" && frame.history === undefined)
      .flatMap((frame) => (frame.entries as { msg: string }[]).map((entry) => entry.msg));
  }

  async untilLogged(test: string | RegExp, from = 0): Promise<void> {
    await this.#wait(`a log entry ${String(test)}`, () =>
      this.logged(from).some((msg) => (typeof test === "string" ? msg.includes(test) : test.test(msg))) ? true : undefined,
    );
  }

  async #wait<T>(what: string, look: () => T | undefined): Promise<T> {
    const found = look();
    if (found !== undefined) return found;
    return new Promise<T>((resolve, reject) => {
      const finish = () => {
        clearTimeout(timer);
        this.#listeners.delete(listener);
      };
      const fail = (why: string) => {
        finish();
        const last = this.frames.slice(-8).map((frame) => JSON.stringify(frame).slice(0, 300));
        reject(new Error(`${what}: ${why}. The last frames:\n${last.join("\n")}`));
      };
      const listener = () => {
        const value = look();
        if (value !== undefined) {
          finish();
          resolve(value);
        } else if (this.#gone !== null) fail(this.#gone);
      };
      const timer = setTimeout(() => fail(`did not come within ${WAIT_MS} ms`), WAIT_MS);
      this.#listeners.add(listener);
      listener();
    });
  }

  #wake(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

function isOf(frame: Frame, name: string): Partial<ProcessView> {
  const process = frame.process as ProcessView;
  return process.name === name ? process : {};
}
