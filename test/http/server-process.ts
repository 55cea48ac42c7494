import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { bundled } from "../support/bundled.ts";

let program: Promise<string> | null = null;

export interface ServerState {
  readonly descriptors: number;
  /** Resident memory, bytes. */
  readonly rss: number;
  /** Warnings and errors. */
  readonly log: readonly string[];
}

/** A server in a process of its own, so that its descriptors, its memory and its event loop are its own. `openFiles` is its limit. */
export async function startServerProcess({ folder, certificate, openFiles = 4_096 }: ServerProcessOptions) {
  program ??= bundled("test/fixtures/http-server.ts");
  const node = [process.execPath, "--expose-gc", await program, certificate.certFile, certificate.keyFile, folder];
  const child = spawn("/bin/sh", ["-c", `ulimit -n ${openFiles}; exec "$@"`, "sh", ...node], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const next = async <T>() => JSON.parse(String((await lines.next()).value)) as T;
  const { port } = await next<{ port: number }>();
  return {
    port,
    /** Does something before it looks: `hog` takes all descriptors but one, `release` gives them back. */
    async state(first: "" | "hog" | "release" = ""): Promise<ServerState> {
      child.stdin.write(`${first}\n`);
      return next<ServerState>();
    },
    async [Symbol.asyncDispose]() {
      const exited = once(child, "exit");
      child.stdin.end();
      const [code, signal] = await exited;
      if (code !== 0) throw new Error(`the server ended with ${code ?? signal}`);
    },
  };
}

interface ServerProcessOptions {
  readonly folder: string;
  readonly certificate: { readonly certFile: string; readonly keyFile: string };
  readonly openFiles?: number;
}
