import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { WebSocketServer } from "ws";
import type { Process } from "../../../src/protocol/resources/resources.ts";
import { fakeProcess } from "../../support/fakes/fake-control.ts";

type Frame = Record<string, unknown> & { type: string; name?: string; patterns?: string[]; request_id?: number };

/** A manager on loopback that shows what the test tells it to, and acknowledges what it is asked for. */
export class ScriptedManager implements AsyncDisposable {
  readonly asked: Frame[] = [];
  /** Called for each frame before its answer. */
  onFrame: (frame: Frame) => void = () => {};
  readonly backlogs = new Map<string, { output: string; offset: number; stream_id: string; times?: { offset: number; time: string }[] }>();
  readonly #processes = new Map<string, Process>();
  readonly #http = createServer();
  readonly #sockets = new WebSocketServer({ server: this.#http });
  readonly #dir = mkdtempSync(join(tmpdir(), "mgr-cli-"));

  static async open(...names: string[]): Promise<ScriptedManager> {
    const manager = new ScriptedManager();
    for (const name of names) manager.#processes.set(name, fakeProcess(name));
    await new Promise<void>((resolve) => manager.#http.listen(0, "127.0.0.1", resolve));
    return manager;
  }

  private constructor() {
    this.#sockets.on("connection", (ws) => {
      ws.on("message", (data) => {
        const frame = JSON.parse(String(data)) as Frame;
        this.asked.push(frame);
        this.onFrame(frame);
        ws.send(JSON.stringify({ ...this.#answer(frame), request_id: frame.request_id }));
      });
    });
    writeFileSync(join(this.#dir, "password"), "secret\n");
  }

  /** Flags that lead here. */
  get flags() {
    const { port } = this.#http.address() as AddressInfo;
    return { url: `http://127.0.0.1:${port}`, user: "ada", passwordFile: join(this.#dir, "password") };
  }

  set(name: string, change: Partial<Process>): void {
    const process = { ...(this.#processes.get(name) ?? fakeProcess(name)), ...change };
    this.#processes.set(name, process);
    this.say({ type: "process_upsert", process });
  }

  say(frame: Record<string, unknown>): void {
    for (const ws of this.#sockets.clients) ws.send(JSON.stringify(frame));
  }

  hangUp(reason: string): void {
    for (const ws of this.#sockets.clients) ws.close(1001, reason);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const ws of this.#sockets.clients) ws.terminate();
    this.#sockets.close();
    await new Promise<void>((resolve) => this.#http.close(() => resolve()));
    rmSync(this.#dir, { recursive: true });
  }

  #answer(frame: Frame): Record<string, unknown> {
    if (frame.type === "get_snapshot")
      return { type: "snapshot", processes: [...this.#processes.values()], host_list: [], process_tree: [] };
    if (frame.type === "get_process_output") {
      const backlog = this.backlogs.get(frame.name ?? "") ?? { output: "", offset: 0, stream_id: "s" };
      return { type: "process_output_snapshot", name: frame.name, pid: 1, truncated: false, ...backlog };
    }
    return { type: "ack", request_type: frame.type };
  }
}

interface Printed {
  /** To stdout. */
  output: string;
  /** To stderr. */
  errors: string;
  error: unknown;
  exitCode: number | undefined;
}

/** What a command prints while `act` runs. */
export async function printed(act: () => Promise<unknown>): Promise<Printed> {
  let output = "";
  let errors = "";
  const log = vi.spyOn(console, "log").mockImplementation((text: string) => {
    output += `${text}\n`;
  });
  const write = vi.spyOn(process.stdout, "write").mockImplementation((chunk) => {
    output += String(chunk);
    return true;
  });
  const writeError = vi.spyOn(process.stderr, "write").mockImplementation((chunk) => {
    errors += String(chunk);
    return true;
  });
  const before = process.exitCode;
  process.exitCode = undefined;
  let error: unknown = null;
  try {
    await act();
  } catch (thrown) {
    error = thrown;
  } finally {
    log.mockRestore();
    write.mockRestore();
    writeError.mockRestore();
  }
  const { exitCode } = process;
  process.exitCode = before;
  return { output, errors, error, exitCode: exitCode as number | undefined };
}
