import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Forward } from "../../../src/features/forward/wire.ts";
import { says } from "../support/children.ts";
import { Fleet } from "../support/fleet.ts";
import { PROGRAM } from "../support/instance.ts";
import { eventually } from "../support/wait.ts";

// The first example of docs/forward.md, as it stands there, between two machines.
const [, EXAMPLE = ""] =
  /^mgr (forward .+)$/m.exec(readFileSync(fileURLToPath(new URL("../../../docs/forward.md", import.meta.url)), "utf8")) ?? [];
const MIB = 1024 * 1024;
/** Answers with the number of bytes when its client has sent everything; listens on loopback only. */
const COUNTER = `require("node:net").createServer({allowHalfOpen: true}, (s) => { let n = 0;
  s.on("data", (d) => { n += d.length; }).on("end", () => s.end(n + " bytes")).on("error", () => {}); }).listen(5432, "127.0.0.1")`;
/** Sends so many bytes, ends its direction if there are any, and prints what comes back until the connection ends. */
const CLIENT = `const s = require("node:net").connect(5433, "127.0.0.1"); const n = Number(process.argv[1]);
  s.on("connect", () => { if (n > 0) s.end(Buffer.alloc(n)); else console.log("connected"); });
  s.on("data", (d) => process.stdout.write(d)).on("error", (e) => console.log(e.code)).on("close", () => console.log(" closed"))`;

let fleet: Fleet;
let forward: ChildProcess;
let said = "";

beforeAll(async () => {
  fleet = await Fleet.up({
    hosts: ["bench"],
    processes: { counter: { command: [process.execPath, "-e", COUNTER], node: "bench", autostart: true, ready: { tcp: 5_432 } } },
  });
  const client = await fleet.connect();
  await eventually("the program listens", async () => (await client.process("counter")).state === "ready");
  forward = fleet.run("manager", [process.execPath, PROGRAM, ...EXAMPLE.split(" "), "-c", fleet.config]);
  for (const stream of [forward.stdout, forward.stderr])
    stream?.on("data", (chunk) => {
      said += chunk;
    });
  await says(forward, /127\.0\.0\.1:5433 leads to port 5432 of host 'bench'/);
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
});

const connect = (bytes: number) => fleet.run("manager", [process.execPath, "-e", CLIENT, String(bytes)]);
const list = async () => JSON.parse(await fleet.mgr("forwards", "--json")) as Forward[];

/** What a client prints that sends so many bytes. */
async function answerTo(bytes: number): Promise<string> {
  const child = connect(bytes);
  let text = "";
  child.stdout.on("data", (chunk) => {
    text += chunk;
  });
  await once(child, "close");
  return text;
}

test("the example reaches a port of another host, and bytes are counted", async () => {
  expect(await answerTo(MIB)).toBe(`${MIB} bytes closed\n`);
  await eventually("its connection has ended", async () => (await list())[0]?.connections === 0);
  expect(await list()).toMatchObject([
    { host: "bench", port: 5_432, host_ready: true, total_connections: 1, sent: MIB, received: `${MIB} bytes`.length, problem: null },
  ]);
});

test("connections end with the reason while the link is cut, and new ones are made when it is restored", async () => {
  const idle = connect(0);
  await says(idle, /connected/);
  await eventually("the forward has it", async () => (await list())[0]?.connections === 1);
  const ended = says(idle, /closed/);
  fleet.link("bench", "cut");
  await ended;
  expect(said).toMatch(/a connection was cut: .*host 'bench' is lost/);
  expect(await answerTo(1)).toMatch(/closed/);
  await eventually("the command says why", () => /a connection was refused: .*the daemon of host 'bench' cannot be reached/.test(said));
  expect(await list()).toMatchObject([{ host_ready: false }]);
  fleet.link("bench", "good");
  await eventually("the host is ready", async () => (await list())[0]?.host_ready);
  expect(await answerTo(7)).toBe("7 bytes closed\n");
});

test("a forward that is closed by mgr forwards ends its command", async () => {
  const [{ id } = { id: "" }] = await list();
  const ended = once(forward, "close");
  expect(await fleet.mgr("forwards", "--close", id)).toBe(`${id}: closed\n`);
  expect(await ended).toEqual([1, null]);
  expect(said).toMatch(/the forward has ended: it was closed by 'local:/);
  expect(await list()).toEqual([]);
});
