import { messageOf } from "../../../base/errors.ts";
import { parseJson } from "../../../base/json.ts";
import type { WarningLog } from "../../../base/throttled-warning.ts";
import type { TopicEncoding } from "../../../base/topics/topic-encodings.ts";
import type { Bus } from "../../../bus/client/bus.ts";

/** The client's own part of a registration (docs/clients.md, "Registration"). */
export interface ClientIdentity {
  readonly name: string;
  readonly pid: number;
  readonly library_version: number;
  readonly svn_revision: number;
  readonly modified: boolean;
  readonly svc_debug: boolean;
}

export interface RegisteredTopic {
  readonly name: string;
  readonly encoding: TopicEncoding;
  readonly definition: string;
  readonly definition_name: string;
  readonly keep_last: boolean;
  readonly priority: number;
  readonly max_age_ms?: number;
  readonly reliable_within?: number;
}

interface Answer {
  ok?: unknown;
  host?: unknown;
  message?: unknown;
  problems?: unknown;
}

/** Topics that were not reserved, each with the broker's message. */
export type Refusals = ReadonlyMap<string, string>;
const NO_REFUSALS: Refusals = new Map();

const SUBJECT = "mgr.client.register";
/** Time-out of a request, and pauses before the next one if a topic is taken or if no broker has answered; milliseconds. */
const TIMEOUT_MS = 10_000;
const TAKEN_RETRY_MS = 2_000;
const SILENT_RETRY_MS = 5_000;

/** Keeps a client registered. Registers after each connection, after each change of its topics, and repeatedly while a topic is taken. */
export class Registration {
  /** Host name in the newest answer; null until a broker has answered. */
  host: string | null = null;
  readonly topics = new Map<string, RegisteredTopic>();
  readonly #bus: Bus;
  readonly #identity: ClientIdentity;
  readonly #log: WarningLog;
  #current: Promise<Refusals> = Promise.resolve(NO_REFUSALS);
  #next: Promise<Refusals> | null = null;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;
  #lastProblem = "";

  constructor(bus: Bus, identity: ClientIdentity, log: WarningLog) {
    this.#bus = bus;
    this.#identity = identity;
    this.#log = log;
    bus.onConnection((isConnected) => {
      if (isConnected) void this.register();
    });
  }

  /** Sends all topics, once for all calls of a turn. Resolves with the topics that were refused; never rejects. */
  register(): Promise<Refusals> {
    this.#next ??= this.#current.then(() => {
      this.#next = null;
      this.#current = this.#send();
      return this.#current;
    });
    return this.#next;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
  }

  async #send(): Promise<Refusals> {
    clearTimeout(this.#retry);
    // The next connection registers again.
    if (this.#isClosed || !this.#bus.isConnected) return NO_REFUSALS;
    const text = JSON.stringify({ ...this.#identity, topics: [...this.topics.values()] });
    try {
      const { data } = await this.#bus.request(SUBJECT, text, { timeoutMs: TIMEOUT_MS });
      return this.#handleAnswer(parseJson(new TextDecoder().decode(data)));
    } catch {
      // No broker of mgr answered: this is a plain nats-server, or the connection was lost.
      this.#later(SILENT_RETRY_MS);
      return NO_REFUSALS;
    }
  }

  #handleAnswer(answer: unknown): Refusals {
    const { ok, host, message, problems } = (typeof answer === "object" && answer !== null ? answer : {}) as Answer;
    if (ok !== true) {
      const words = typeof message === "string" ? message : "the answer is not understood";
      this.#report(`the broker refused the registration: ${words}`);
      return new Map([...this.topics.keys()].map((name) => [name, words]));
    }
    if (typeof host === "string") this.host = host;
    const refusals = new Map<string, string>();
    const reports: string[] = [];
    for (const problem of Array.isArray(problems) ? problems : []) {
      const topic: unknown = problem?.topic;
      if (typeof topic !== "string") continue;
      const words = messageOf(problem?.message ?? "it is taken");
      // The topic is reserved; only its definition cannot be used by subscribers.
      const isRefused = problem?.code !== "bad_field";
      if (isRefused) refusals.set(topic, words);
      reports.push(
        isRefused ? `the topic '${topic}' was refused: ${words}` : `messages of the topic '${topic}' cannot be decoded: ${words}`,
      );
    }
    if (refusals.size > 0) this.#later(TAKEN_RETRY_MS);
    this.#report(reports.join("; "));
    return refusals;
  }

  #later(pauseMs: number): void {
    if (this.#isClosed) return;
    this.#retry = setTimeout(() => void this.register(), pauseMs);
    this.#retry.unref();
  }

  /** Logs each problem once, not at each attempt. */
  #report(problem: string): void {
    if (problem !== this.#lastProblem && problem !== "") this.#log("warning", problem);
    this.#lastProblem = problem;
  }
}
