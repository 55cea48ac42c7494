// Milliseconds from a typed key to its echo: WebSocket, manager, daemon, terminal and back, after 10 ms of rest.
// The same without the audit, in turns. Peer: a bare chain WebSocket, unix socket, terminal.
// `npx tsx bench/keystroke-echo.ts`; MGR_BENCH_KEYS is the number of keys.
import { join } from "node:path";
import { Client } from "./support/client.ts";
import { percentile, printFigure, rounded, sleep } from "./support/figure.ts";
import { BenchManager } from "./support/manager.ts";
import { Part } from "./support/part.ts";
import type { SinkCount } from "./support/sink.ts";

const KEYS = Number(process.env.MGR_BENCH_KEYS ?? 400);
const ROUNDS = 3;
const REST_MS = 10;

/** Types one key after the other and returns how long each echo took, milliseconds. */
async function type(client: Client, keys: number): Promise<number[]> {
  const times: number[] = [];
  for (let key = 0; key < keys; key++) {
    await sleep(REST_MS);
    // A line must not grow beyond what a terminal takes.
    const text = key % 64 === 63 ? "\n" : "k";
    const echoed = client.until((frame) => frame.type === "process_output" && frame.name !== "flood");
    const begin = performance.now();
    client.send({ type: "send_stdin", name: "typed", text });
    await echoed;
    times.push(performance.now() - begin);
    // The program answers a line by the line itself.
    if (text === "\n") await sleep(REST_MS);
  }
  return times;
}

const PROCESSES = { typed: { command: "cat" }, flood: { command: ["yes", "flood".repeat(16)] } };

/** A client that sees the terminal of a program which repeats what is typed. */
async function typist(manager: BenchManager): Promise<Client> {
  const client = await manager.connect();
  await client.ask({ type: "subscribe_process_output", patterns: ["typed"] });
  await client.ask({ type: "start_process", name: "typed" });
  return client;
}

await using manager = await BenchManager.up(PROCESSES);
await using unaudited = await BenchManager.up(PROCESSES, { audit: { enabled: false } });
const client = await typist(manager);
const unauditedClient = await typist(unaudited);

const path = join(manager.dir, "bare.sock");
await using _terminal = await Part.start(new URL("./support/bare-terminal.ts", import.meta.url), path, "cat");
await using relay = await Part.start(new URL("./support/bare-relay.ts", import.meta.url), path);
const { url } = await relay.ask<{ url: string }>({});
const bare = await Client.open(url, {});
await sleep(500);

const [ours, without, theirs]: [number[], number[], number[]] = [[], [], []];
await type(client, 50);
await type(unauditedClient, 50);
await type(bare, 50);
for (let round = 0; round < ROUNDS; round++) {
  ours.push(...(await type(client, KEYS / ROUNDS)));
  without.push(...(await type(unauditedClient, KEYS / ROUNDS)));
  theirs.push(...(await type(bare, KEYS / ROUNDS)));
}

// Somebody else looks at a flood meanwhile.
await using watcher = await Part.start(new URL("./support/sink.ts", import.meta.url), `${manager.url}/ws`, manager.authorization);
await watcher.ask<SinkCount>({ connections: 1, hello: JSON.stringify({ type: "subscribe_process_output", patterns: ["flood"] }) });
await client.ask({ type: "start_process", name: "flood" });
await sleep(500);
const [flooded, theirsFlooded]: [number[], number[]] = [[], []];
for (let round = 0; round < ROUNDS; round++) {
  flooded.push(...(await type(client, KEYS / ROUNDS)));
  theirsFlooded.push(...(await type(bare, KEYS / ROUNDS)));
}
await client.ask({ type: "stop_process", name: "flood" });
bare.ws.terminate();

const whole = (times: number[]) => ({ p50: rounded(percentile(times, 0.5)), p99: rounded(percentile(times, 0.99)) });
printFigure({
  figure: "keystroke-echo",
  unit: "ms from key to echo after 10 ms of quiet, p50",
  value: rounded(percentile(ours, 0.5)),
  p99: rounded(percentile(ours, 0.99)),
  without_audit: whole(without),
  peer: "bare chain: ws, unix socket, terminal",
  peer_value: rounded(percentile(theirs, 0.5)),
  peer_p99: rounded(percentile(theirs, 0.99)),
  while_another_floods: whole(flooded),
  peer_while_another_floods: whole(theirsFlooded),
});
