import { afterAll, beforeAll, expect, it } from "vitest";
import { noBusFiles } from "../../../src/daemon/bus/bus-files.ts";
import { HostBus } from "../../../src/daemon/bus/host-bus.ts";
import { RawClient } from "../../bus/bus-rig.ts";

/** These clients answer no PING. */
const PING_MS = 600_000;

let bus: HostBus;
/** The run "sim/arm", which owns a topic and a service, and another run of the same host. */
let victim: RawClient;
let evil: RawClient;

const join = async (url: string) => {
  const { port, username } = new URL(url);
  const client = await RawClient.connect({ host: "127.0.0.1", port: Number(port) });
  await answer(client, `CONNECT ${JSON.stringify({ verbose: false, headers: true, no_responders: true, auth_token: username })}\r\n`);
  return client;
};
/** What comes until `sent` has been processed. */
const answer = async (client: RawClient, sent: string) => {
  const before = client.text.length;
  client.send(`${sent}PING\r\n`);
  const text = await client.until((all) => all.includes("PONG\r\n", before));
  return text.slice(before).replace(/P[IO]NG\r\n/g, "");
};
const pub = (subject: string, body = "evil") => `PUB ${subject} ${body.length}\r\n${body}\r\n`;
let inbox = 1_000;
const register = (client: RawClient, about: object) => {
  const body = JSON.stringify(about);
  return answer(client, `SUB _INBOX.${++inbox} 99\r\nPUB mgr.client.register _INBOX.${inbox} ${body.length}\r\n${body}\r\n`);
};

beforeAll(async () => {
  bus = await HostBus.open({ host: "rt1", files: noBusFiles(), log: () => {}, broker: { pingIntervalMs: PING_MS } });
  victim = await join(bus.begin("1-1", "sim/arm"));
  evil = await join(bus.begin("1-2", "sim/evil"));
  expect(await register(victim, { name: "arm", topics: [{ name: "arm/state", encoding: "raw" }] })).toContain('"ok":true');
  await answer(victim, "SUB $SRV.INFO.arm.1 1\r\nSUB _INBOX.victim.* 2\r\n");
});
afterAll(async () => {
  victim.close();
  evil.close();
  await bus.close();
});

it.each([
  ["as its host's daemon", "mgr.host.rt1.event"],
  ["as another host's daemon", "mgr.host.rt2.event"],
  ["as the manager, to its host", "mgr.host.rt1.do.stop"],
  ["as another client", "mgr.client.sim%2Farm.x"],
  ["a report of the bus", "mgr.bus.report"],
  ["as a server", "$SYS.REQ.SERVER.PING"],
  ["a sign of a loop", "$LDS.abc"],
  ["a topic that another client has reserved", "topic.arm.state"],
])("a client cannot publish %s", async (_what, subject) => {
  const heard: string[] = [];
  const end = bus.broker.port().subscribe(">", (message) => void heard.push(message.subject));
  expect(await answer(evil, pub(subject))).toBe(`-ERR 'Permissions Violation for Publish to "${subject}"'\r\n`);
  expect(heard).toEqual([]);
  end();
});

it.each([
  "mgr.>",
  "mgr.host.>",
  "mgr.host.rt1.do.*",
  "mgr.*.*.event",
  "mgr.client.register",
  "mgr.client.*.x",
  "$SYS.>",
  "$LDS.>",
  "_INBOX.>",
  "_INBOX.*",
  "_INBOX.*.x",
])("a client cannot subscribe to %s", async (subject) => {
  const refusal = `-ERR 'Permissions Violation for Subscription to "${subject}"`;
  expect(await answer(evil, `SUB ${subject} 5\r\n`)).toBe(`${refusal}'\r\n`);
  expect(await answer(evil, `SUB ${subject} q 6\r\n`)).toBe(`${refusal} using queue "q"'\r\n`);
});

it("a wildcard gives a client no messages for the manager, and no answers to others", async () => {
  const port = bus.broker.port();
  expect(await answer(evil, "SUB > 7\r\n")).toBe("");
  for (const subject of ["mgr.host.rt1.do.stop", "mgr.client.sim%2Farm.x", "_INBOX.victim.1", "$SYS.x", "topic.open"])
    port.publish(subject, "");
  expect(await answer(evil, "UNSUB 7\r\n")).toBe("MSG topic.open 7 0\r\n\r\n");
});

it("a client that registers as another one keeps the identity of its token, and gets none of that client's topics", async () => {
  expect(await register(evil, { name: "arm", pid: 1, topics: [{ name: "arm/state", encoding: "raw" }] })).toMatch(
    /"ok":true.*"code":"conflict"/,
  );
  const { clients, topics } = bus.registry.tables();
  expect(clients.map(({ name, run_id, process_name }) => ({ name, run_id, process_name }))).toEqual([
    { name: "arm", run_id: "1-1", process_name: "sim/arm" },
    { name: "arm", run_id: "1-2", process_name: "sim/evil" },
  ]);
  expect(topics).toMatchObject([{ name: "arm/state", connection: clients[0]?.connection }]);
});

it("a client that claims to be an instance of another client's service is an instance of its own, and the request to the other stays private", async () => {
  await answer(evil, "SUB $SRV.INFO.arm.1 8\r\nSUB $SRV.> 9\r\n");
  const info = { name: "arm", id: "1", metadata: { name: "arm/move" }, endpoints: [] };
  for (const [client, metadata] of [
    [victim, { name: "arm/move" }],
    [evil, { name: "arm/stolen" }],
  ] as const) {
    const text = await client.until((all) => /MSG \$SRV\.INFO\.arm\.1 [18] (_INBOX\.\S+) 0\r\n/.test(all));
    const reply = /MSG \$SRV\.INFO\.arm\.1 [18] (_INBOX\.\S+) 0\r\n/.exec(text)?.[1] ?? "";
    expect(evil.text.includes(reply)).toBe(client === evil);
    await answer(client, pub(reply, JSON.stringify({ ...info, metadata })));
  }
  const [first, second] = bus.registry.tables().clients;
  expect([...bus.registry.tables().services].map(({ name, connection }) => ({ name, connection }))).toEqual([
    { name: "arm/move", connection: first?.connection },
    { name: "arm/stolen", connection: second?.connection },
  ]);
});

it("when its run is over, a client is disconnected, its token is refused, and its topics are free", async () => {
  const url = bus.begin("1-3", "sim/late");
  const late = await join(url);
  await register(late, { name: "late", topics: [{ name: "late", encoding: "raw" }] });
  bus.end("1-3");
  await late.end();
  const again = await RawClient.connect({ host: "127.0.0.1", port: bus.port });
  again.send(`CONNECT ${JSON.stringify({ auth_token: new URL(url).username })}\r\nPING\r\n`);
  expect(await again.end()).toContain("-ERR 'Authorization Violation'");
  expect(bus.registry.tables().topics.map(({ name }) => name)).not.toContain("late");
  expect(await answer(evil, pub("topic.late"))).toBe("");
});
