import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** A message that a program received. */
export interface Received {
  readonly value: unknown;
  readonly seq: number | null;
  readonly isLast: boolean;
  readonly problem: string | null;
  /** Nanoseconds since 1970 as decimal text; null: it came at once. Not printed by the program in C. */
  readonly late?: string | null;
}

/** A command that failed. */
export class Refused extends Error {
  readonly code: string;
  readonly serviceCode: number | null;

  constructor({ message, code, serviceCode }: { message: string; code: string; serviceCode: number | null }) {
    super(message);
    this.code = code;
    this.serviceCode = serviceCode;
  }
}

/** A program that uses one of the client libraries as it is told: one line a command, one line an answer. */
export class Program implements AsyncDisposable {
  readonly messages = new Map<string, Received[]>();
  readonly child: ChildProcess;
  readonly #answers = new Map<string, { resolve(value: unknown): void; reject(error: Error): void }>();
  readonly #exit: Promise<unknown>;
  errors = "";
  #next = 0;

  private constructor(command: readonly string[], environment: Record<string, string>) {
    const [file = "", ...words] = command;
    const { MGR_BUS_URL: _url, MGR_CLIENT_NAME: _name, ...inherited } = process.env;
    this.child = spawn(file, words, { stdio: ["pipe", "pipe", "pipe"], env: { ...inherited, ...environment } });
    this.#exit = once(this.child, "exit").catch((error: Error) => this.#fail(error));
    this.child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.errors += text;
    });
    // A program that ended takes no more commands; `do` rejects.
    this.child.stdin?.on("error", () => {});
    if (this.child.stdout) createInterface({ input: this.child.stdout }).on("line", (line) => this.#take(line));
    this.child.once("close", (code) => this.#fail(new Error(`the program ended with ${code}: ${this.errors}`)));
  }

  /** Connected under this name. */
  static async start(command: readonly string[], url: string, name: string, environment: Record<string, string> = {}): Promise<Program> {
    const program = new Program(command, { MGR_BUS_URL: url, ...environment });
    await program.do("connect", name);
    return program;
  }

  do(verb: string, ...words: string[]): Promise<unknown> {
    const id = String(this.#next++);
    return new Promise((resolve, reject) => {
      this.#answers.set(id, { resolve, reject });
      this.child.stdin?.write(`${[id, verb, ...words].join("\t")}\n`);
    });
  }

  received(topic: string): Received[] {
    return this.messages.get(topic) ?? [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.child.kill("SIGKILL");
    await this.#exit;
  }

  #take(line: string): void {
    const [id = "", kind = "", text = ""] = line.split("\t");
    if (id === "message") {
      this.messages.set(kind, [...this.received(kind), JSON.parse(text) as Received]);
      return;
    }
    const answer = this.#answers.get(id);
    this.#answers.delete(id);
    if (kind === "ok") answer?.resolve(JSON.parse(text));
    else answer?.reject(new Refused(JSON.parse(text)));
  }

  #fail(error: Error): void {
    for (const { reject } of this.#answers.values()) reject(error);
    this.#answers.clear();
  }
}
