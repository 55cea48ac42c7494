import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
// @ts-expect-error A plain script without types.
import { buildDaemon } from "../../../scripts/build/bundle.js";
import { MgrError } from "../../../src/base/errors.ts";
import type { Bus } from "../../../src/bus/client/bus.ts";
import { busHostLink } from "../../../src/bus/host-link/host-link.ts";
import type { HostLink } from "../../../src/contract/host-link.ts";
import {
  type BusSettings,
  HEARTBEAT_MS,
  type HostEvent,
  type HostRequestName,
  type RequestOf,
  type ResponseOf,
} from "../../../src/contract/messages.ts";
import type { RunReport } from "../../../src/contract/run.ts";
import { spec } from "./hosts.ts";

const ROOT = join(import.meta.dirname, "../../..");

/** Builds the daemon in a new folder, with all that it needs beside it: `dist/daemon.cjs` starts it. Returns the folder. */
export async function builtDaemon(): Promise<string> {
  const built = mkdtempSync(join(tmpdir(), "mgr-built-"));
  await buildDaemon(join(built, "dist"));
  copyPackages(join(built, "node_modules"));
  return built;
}

/** What a daemon needs of node_modules: two native packages and their binaries. */
export function copyPackages(to: string, names = ["koffi", "@koromix", "node-pty", "@lydell"]): void {
  for (const name of names) cpSync(join(ROOT, "node_modules", name), join(to, name), { recursive: true });
}

export interface StartedDaemon {
  daemon: ChildProcess;
  pid: number;
  exit: Promise<[number | null, string | null]>;
  /** What it has written to its standard output and error. */
  errors: () => string;
}

export function startDaemonProgram(program: string, options: object, cwd = "/"): StartedDaemon {
  const daemon = spawn(process.execPath, [program, JSON.stringify(options)], { detached: true, cwd, stdio: ["pipe", "pipe", "pipe"] });
  let errors = "";
  for (const stream of [daemon.stdout, daemon.stderr]) {
    stream.on("data", (chunk) => {
      errors += chunk;
    });
  }
  return { daemon, pid: daemon.pid ?? 0, exit: once(daemon, "exit") as StartedDaemon["exit"], errors: () => errors };
}

/** Requests that name the session of a manager. */
type WithSession = { [N in HostRequestName]: "session" extends keyof RequestOf<N> ? N : never }[HostRequestName];

/** A manager of a host, as far as tests need one. */
export interface Greeted {
  link: HostLink;
  streamId: string;
  events: HostEvent[];
  /** Sends a request in the session of this manager. As a manager does, it greets the host again if the host has ended the session: the machine was slow. */
  request<N extends WithSession>(name: N, fields: Omit<RequestOf<N>, "session">): Promise<ResponseOf<N>>;
  spawn(name: string, line: string, changes?: Parameters<typeof spec>[2]): Promise<RunReport>;
}

/**
 * Waits for the heartbeat of the daemon, says hello, and sends heartbeats while the bus is connected, as a manager does. With `settings`, the
 * broker of the daemon links to a hub.
 */
export async function greetHost(bus: Bus, host: string, epoch = 1, settings?: BusSettings): Promise<Greeted> {
  const link = busHostLink(bus, host);
  const events: HostEvent[] = [];
  await new Promise<void>((resolve) => {
    link.listen({ onHeartbeat: () => resolve(), onEvent: (event) => events.push(event) });
  });
  const hello = () =>
    link.request("hello", { epoch, manager_pid: process.pid, contracts: [1], ...(settings === undefined ? {} : { bus: settings }) });
  let { session, stream_id: streamId } = await hello();
  const beats = setInterval(() => (bus.isConnected ? link.heartbeat(session) : clearInterval(beats)), HEARTBEAT_MS).unref();

  const request: Greeted["request"] = async (name, fields) => {
    const send = () => link.request(name, { ...fields, session } as RequestOf<typeof name>);
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof MgrError) || error.code !== "stale_session") throw error;
      ({ session } = await hello());
      return send();
    }
  };
  let count = 0;
  return {
    link,
    streamId,
    events,
    request,
    spawn: async (name, line, changes) =>
      (await request("spawn", { run_id: `${epoch}-${++count}`, spec: spec(name, line, changes), memo: "" })).run,
  };
}
