import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { BehaviorSubject, filter, firstValueFrom } from "rxjs";
import type { EmbeddedManager } from "../../../../src/app/embedded/embedded-manager.ts";
import type { Role } from "../../../../src/base/access/access.ts";
import type { ManagerClient } from "../../../../src/client/manager-client.ts";
import type { Confirmation } from "../../../../src/features/mcp/wire.ts";

/** A program that embeds a manager with its port open. */
export interface Served {
  readonly manager: EmbeddedManager;
  readonly url: URL;
}

/** How a client of the SDK speaks: with the newest revision of the protocol, or as clients of 2025 do. */
export const ERAS = { newest: { versionNegotiation: { mode: "auto" } }, "of 2025": {} } as const satisfies Record<string, ClientOptions>;

export async function tokenOf({ manager }: Served, name: string, role: Role, on?: string[]): Promise<string> {
  const { secret } = await manager.request({ type: "create_access_token", name, role, ...(on === undefined ? {} : { on }) });
  return secret;
}

/** An agent's program; `answer` is what its user answers, or null if it cannot ask. */
export class Agent implements AsyncDisposable {
  readonly client: Client;
  /** What its user was asked. */
  readonly asked: string[] = [];

  constructor(era: keyof typeof ERAS, answer: { action: "accept"; content: { confirm: boolean } } | { action: "decline" } | null) {
    this.client = new Client({ name: "agent", version: "1" }, { capabilities: answer === null ? {} : { elicitation: {} }, ...ERAS[era] });
    if (answer === null) return;
    this.client.setRequestHandler("elicitation/create", ({ params }) => {
      this.asked.push(params.message);
      return answer;
    });
  }

  async connect({ url }: Served, token: string): Promise<this> {
    await this.client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { Authorization: `Bearer ${token}` } } }));
    return this;
  }

  async tools(): Promise<string[]> {
    return (await this.client.listTools()).tools.map(({ name }) => name);
  }

  /** The text of a tool's result: JSON, or the reason why it failed. */
  async call(name: string, input: Record<string, unknown> = {}): Promise<{ failed: boolean; text: string; json: () => unknown }> {
    const { content, isError = false } = await this.client.callTool({ name, arguments: input });
    const text = content.map((part) => (part.type === "text" ? part.text : "")).join("");
    return { failed: isError, text, json: () => JSON.parse(text) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
  }
}

/** The page of a person: a client that follows the questions of agents. */
export class Page implements Disposable {
  readonly #client: ManagerClient;
  readonly #open$ = new BehaviorSubject<readonly Confirmation[]>([]);

  private constructor(client: ManagerClient) {
    this.#client = client;
    client.events$.subscribe((frame) => {
      if (frame.type === "confirmations") this.#open$.next(frame.confirmations);
    });
  }

  static async open({ manager }: Served): Promise<Page> {
    const page = new Page(manager.connect());
    await page.#client.request({ type: "follow_confirmations" });
    return page;
  }

  /** Resolves with the only open question. */
  async question(): Promise<Confirmation> {
    const [question, ...others] = await firstValueFrom(this.#open$.pipe(filter(({ length }) => length > 0)));
    if (question === undefined || others.length > 0) throw new Error("there is more than one question");
    return question;
  }

  /** Resolves when no question is open. */
  async empty(): Promise<void> {
    await firstValueFrom(this.#open$.pipe(filter(({ length }) => length === 0)));
  }

  async answer({ id, name, agent }: Confirmation, allow: boolean): Promise<void> {
    await this.#client.request({ type: "answer_confirmation", id, name, agent, allow });
  }

  [Symbol.dispose](): void {
    this.#client.close();
  }
}
