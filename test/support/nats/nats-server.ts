import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../free-port.ts";

/** Debian's nats-server (scripts/system-packages), on a free port of loopback. */
export class NatsServer implements AsyncDisposable {
  readonly folder: string;
  /** It is opened again by `begin`: one that no connection of another program gets meanwhile. */
  readonly port = freePort();
  /** Where the configuration has `leafnodes {listen: "127.0.0.1:$LEAF_PORT"}`. */
  readonly leafPort = freePort();
  #process: ChildProcess | null = null;
  #config = "";

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** `config` is text of its configuration file, without the port. It may name files of the folder that `prepare` is given. */
  static async start(config: string | ((folder: string) => string | Promise<string>) = ""): Promise<NatsServer> {
    const server = new NatsServer(await mkdtemp(join(tmpdir(), "mgr-nats-")));
    server.#config = typeof config === "string" ? config : await config(server.folder);
    await server.begin();
    return server;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  get pid(): number {
    return this.#process?.pid ?? 0;
  }

  /** On the port that it had before. */
  async begin(): Promise<void> {
    const file = join(this.folder, "nats.conf");
    await writeFile(file, `listen: "127.0.0.1:${this.port}"\n${this.#config.replace("$LEAF_PORT", String(this.leafPort))}\n`);
    const child = spawn("nats-server", ["-c", file], {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin` },
    });
    this.#process = child;
    let said = "";
    await new Promise<void>((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (code) => reject(new Error(`nats-server ended with ${code}: ${said}`)));
      child.stderr?.on("data", (chunk: Buffer) => {
        said += chunk.toString();
        if (said.includes("Server is ready")) resolve();
      });
    });
  }

  async end(signal: "SIGTERM" | "SIGKILL" = "SIGKILL"): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
    await rm(this.folder, { recursive: true, force: true });
  }
}
