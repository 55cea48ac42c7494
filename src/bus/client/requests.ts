import { randomBytes } from "node:crypto";
import { MgrError } from "../../base/errors.ts";
import type { BusMessage } from "../broker/bus-message.ts";

interface Waiting {
  readonly subject: string;
  resolve(message: BusMessage): void;
  reject(error: MgrError): void;
  readonly timer: ReturnType<typeof setTimeout>;
}

/** Requests that wait for their answers. They share one reply subject, to which each appends a token. */
export class Requests {
  readonly prefix = `_INBOX.${randomBytes(12).toString("hex")}.`;
  readonly #waiting = new Map<string, Waiting>();
  #next = 0;

  /** Calls `publish(reply)` within this call. Rejects with the error that it throws, `timeout` or `host_unavailable`. */
  send(subject: string, timeoutMs: number, publish: (reply: string) => void): Promise<BusMessage> {
    return new Promise((resolve, reject) => {
      const token = (this.#next++).toString(36);
      const timer = setTimeout(() => {
        this.#waiting.delete(token);
        reject(new MgrError("timeout", `no answer to ${subject} within ${timeoutMs} ms; it may still have been carried out`));
      }, timeoutMs);
      this.#waiting.set(token, { subject, resolve, reject, timer });
      try {
        publish(this.prefix + token);
      } catch (error) {
        this.#remove(token);
        reject(error);
      }
    });
  }

  /** Handles an answer, or the broker's status that there are no responders. Late and unknown answers are ignored. */
  receive(message: BusMessage): void {
    const waiting = this.#remove(message.subject.slice(this.prefix.length));
    if (!waiting) return;
    if (message.data.length === 0 && message.headers?.code === 503) {
      waiting.reject(new MgrError("host_unavailable", `no program answers ${waiting.subject}; try again when the other side is connected`));
    } else waiting.resolve(message);
  }

  /** Rejects all requests: the connection was lost, and with it the answers. */
  failAll(reason: string): void {
    for (const token of [...this.#waiting.keys()]) {
      const waiting = this.#remove(token);
      waiting?.reject(
        new MgrError("host_unavailable", `${reason} before ${waiting.subject} was answered; it may still have been carried out`),
      );
    }
  }

  #remove(token: string): Waiting | undefined {
    const waiting = this.#waiting.get(token);
    if (!waiting) return undefined;
    this.#waiting.delete(token);
    clearTimeout(waiting.timer);
    return waiting;
  }
}
