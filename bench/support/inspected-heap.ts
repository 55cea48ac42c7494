import { once } from "node:events";
import { WebSocket } from "ws";
import { sleep } from "./figure.ts";

/** Targets of the inspector that Node opens at SIGUSR1. */
const LIST = "http://127.0.0.1:9229/json/list";
/** Time for a program to open its inspector, ms. */
const MAX_WAIT_MS = 10_000;
const RETRY_MS = 100;

/** Live memory of a Node program after its garbage has been collected, bytes. */
export interface LiveMemory {
  /** Objects, code and source text in V8's heap. */
  readonly heap: number;
  /** Memory of buffers: output, histories, messages. */
  readonly buffers: number;
}

/** Collects the garbage of a Node program, and asks for its live memory. Its inspector is closed again: the next program uses the same port. */
export async function liveMemory(pid: number): Promise<LiveMemory> {
  process.kill(pid, "SIGUSR1");
  const inspector = await connected();
  let last = 0;
  const ask = async (method: string, params: object = {}) => {
    const id = ++last;
    inspector.send(JSON.stringify({ id, method, params }));
    for (;;) {
      const [data] = await once(inspector, "message");
      const answer = JSON.parse(String(data)) as { id?: number; result?: { result?: { value?: unknown } } };
      if (answer.id === id) return answer.result?.result?.value;
    }
  };
  const evaluate = (expression: string) => ask("Runtime.evaluate", { expression, returnByValue: true, includeCommandLineAPI: true });
  await ask("HeapProfiler.collectGarbage");
  const { heapUsed, arrayBuffers } = (await evaluate("process.memoryUsage()")) as NodeJS.MemoryUsage;
  await evaluate("{ const load = require; setTimeout(() => load('node:inspector').close(), 10); undefined; }");
  inspector.terminate();
  await closed();
  return { heap: heapUsed, buffers: arrayBuffers };
}

/** Resolves when nothing listens on the port any more: another program could not open its inspector, or the wrong one would answer. */
async function closed(): Promise<void> {
  const until = performance.now() + MAX_WAIT_MS;
  for (;;) {
    const isOpen = await fetch(LIST).then(
      () => true,
      () => false,
    );
    if (!isOpen) return;
    if (performance.now() > until) throw new Error(`the inspector at ${LIST} does not close`);
    await sleep(RETRY_MS);
  }
}

async function connected(): Promise<WebSocket> {
  const until = performance.now() + MAX_WAIT_MS;
  for (;;) {
    try {
      const [target] = (await (await fetch(LIST)).json()) as { webSocketDebuggerUrl: string }[];
      const inspector = new WebSocket(target?.webSocketDebuggerUrl ?? "");
      await once(inspector, "open");
      return inspector;
    } catch (error) {
      if (performance.now() > until) throw error;
      await sleep(RETRY_MS);
    }
  }
}
