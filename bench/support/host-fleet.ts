// Daemons of many hosts in one process: each speaks the real contract over connections of its own, but runs nothing.
// Arguments: the manager's ws:// address, the folder of the token files, how many. It says "ready" once, then answers:
//   {join: true}                  all connect and are served
//   {leave: name}                 closes the connections of one; {back: name} opens them again
//   {bare: url, hosts, answer}    so many bare WebSockets that answer each message with a text of so many bytes
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { WebSocket } from "ws";
import { systemClock } from "../../src/base/timing/clock.ts";
import { connectBus } from "../../src/bus/client/connect-bus.ts";
import { serveHost } from "../../src/bus/host-link/host-link.ts";
import { FakeHost } from "../../src/testing/fake-host.ts";

const [url = "", folder = "", count = "0"] = process.argv.slice(2);

/** Hosts by name; each keeps its runs while it is not connected. */
const hosts = new Map<string, FakeHost>();
const links = new Map<string, { close(): Promise<void> }>();

async function serve(name: string): Promise<void> {
  const token = readFileSync(join(folder, `${name}.token`), "utf8").trim();
  const connect = (kind: string) => connectBus({ server: { kind: "url", urls: [url] }, name: `daemon ${name} ${kind}`, token });
  const [control, bulk] = await Promise.all([connect("control"), connect("bulk")]);
  const host = hosts.get(name) ?? new FakeHost({ clock: systemClock, host: name });
  hosts.set(name, host);
  const served = serveHost({ control, bulk, host });
  links.set(name, {
    async close() {
      served.close();
      await Promise.all([control.close(), bulk.close()]);
    },
  });
}

async function bare(target: string, hosts: number, answer: string): Promise<void> {
  const open = Array.from({ length: hosts }, async () => {
    const ws = new WebSocket(target, { perMessageDeflate: false });
    ws.on("message", () => ws.send(answer));
    await new Promise((resolve) => ws.once("open", resolve));
  });
  await Promise.all(open);
}

process.on("message", async (question: { join?: true; leave?: string; back?: string; bare?: string; hosts?: number; answer?: number }) => {
  if (question.join) await Promise.all(Array.from({ length: Number(count) }, (_, index) => serve(`h${index}`)));
  else if (question.leave) await links.get(question.leave)?.close();
  else if (question.back) await serve(question.back);
  else if (question.bare) await bare(question.bare, question.hosts ?? 0, "x".repeat(question.answer ?? 0));
  process.send?.({ done: true });
});
process.send?.("ready");
