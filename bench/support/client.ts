import { once } from "node:events";
import { WebSocket } from "ws";

/** How long an answer may take, milliseconds. */
const TIMEOUT_MS = 110_000;

export interface Frame {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A WebSocket client; whoever measures listens to the raw messages of `ws`. */
export class Client {
  readonly ws: WebSocket;
  #requests = 0;

  private constructor(ws: WebSocket) {
    this.ws = ws;
  }

  static async open(url: string, headers: Record<string, string>): Promise<Client> {
    const ws = new WebSocket(url, { headers, perMessageDeflate: false });
    await once(ws, "open");
    return new Client(ws);
  }

  send(frame: object): void {
    this.ws.send(JSON.stringify(frame));
  }

  /** Sends a frame and resolves with its answer; rejects if that is an error. */
  async ask(frame: object): Promise<Frame> {
    const request_id = ++this.#requests;
    const answered = this.until((answer) => answer.request_id === request_id);
    this.send({ ...frame, request_id });
    const answer = await answered;
    if (answer.type === "error") throw new Error(`${JSON.stringify(frame)}: ${String(answer.message)}`);
    return answer;
  }

  /** The first frame from now on for which `test` holds. */
  until(test: (frame: Frame) => boolean): Promise<Frame> {
    return new Promise((resolve, reject) => {
      const done = () => {
        clearTimeout(timer);
        this.ws.off("message", look);
      };
      const look = (data: Buffer) => {
        const frame = JSON.parse(data.toString()) as Frame;
        if (!test(frame)) return;
        done();
        resolve(frame);
      };
      const timer = setTimeout(() => {
        done();
        reject(new Error(`an expected frame did not come within ${TIMEOUT_MS} ms`));
      }, TIMEOUT_MS);
      this.ws.on("message", look);
    });
  }

  /** Resolves when each of `names` has been told to be in `state`, from now on. */
  async untilAll(names: Iterable<string>, state: string): Promise<void> {
    const missing = new Set(names);
    await this.until((frame) => {
      if (frame.type !== "process_upsert") return false;
      const process = frame.process as { name: string; state: string };
      if (process.state === state) missing.delete(process.name);
      return missing.size === 0;
    });
  }
}
