import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NatsServer } from "../../support/nats/nats-server.ts";
import { BusRig, RawClient } from "../bus-rig.ts";

const QUIET = 'CONNECT {"verbose":false,"pedantic":false,"headers":true,"no_responders":true}\r\n';
const ASK = "PUB nobody answer 0\r\n\r\n";
const NO_RESPONDERS = "HMSG answer 1 16 16\r\nNATS/1.0 503\r\n\r\n\r\n";
/** All that the official Rust client may send, and more: every option is there, as `null`. */
const NULLS = [
  ...["verbose", "pedantic", "echo", "headers", "no_responders", "name", "lang", "version", "protocol"],
  ...["user", "pass", "auth_token", "jwt", "nkey", "sig", "tls_required"],
];

interface Place extends AsyncDisposable {
  readonly at: string | { host: string; port: number };
}

const SERVERS: Record<string, () => Promise<Place>> = {
  async "the embedded broker"() {
    const rig = await BusRig.start();
    return { at: rig.path, [Symbol.asyncDispose]: () => rig[Symbol.asyncDispose]() };
  },
  async "nats-server"() {
    const server = await NatsServer.start();
    return { at: { host: "127.0.0.1", port: server.port }, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
  },
};

describe.each(Object.keys(SERVERS))("what a client gets from %s", (name) => {
  let place: Place;

  beforeAll(async () => {
    const start = SERVERS[name];
    if (!start) throw new Error(`no server '${name}'`);
    place = await start();
  });
  afterAll(() => place[Symbol.asyncDispose]());

  it.each([
    [
      "null options of CONNECT are absent ones",
      `CONNECT ${JSON.stringify(Object.fromEntries(NULLS.map((option) => [option, null])))}\r\n`,
      "+OK\r\n",
    ],
    ["CONNECT null changes nothing", "CONNECT null\r\n", "+OK\r\n"],
    ["a second CONNECT keeps what it does not name", 'CONNECT {"verbose":false}\r\nCONNECT {"name":"x","verbose":null}\r\n', ""],
    [
      "a no-responders answer does not use up the subscription",
      `${QUIET}SUB answer 1\r\nUNSUB 1 1\r\n${ASK}${ASK}PUB answer 1\r\na\r\nPUB answer 1\r\nb\r\n`,
      `${NO_RESPONDERS}${NO_RESPONDERS}MSG answer 1 1\r\na\r\n`,
    ],
    [
      "a no-responders answer before UNSUB does not count either",
      `${QUIET}SUB answer 1\r\n${ASK}UNSUB 1 1\r\nPUB answer 1\r\na\r\nPUB answer 1\r\nb\r\n`,
      `${NO_RESPONDERS}MSG answer 1 1\r\na\r\n`,
    ],
    [
      "messages before UNSUB count",
      `${QUIET}SUB answer 1\r\nPUB answer 1\r\na\r\nUNSUB 1 2\r\nPUB answer 1\r\nb\r\nPUB answer 1\r\nc\r\n`,
      "MSG answer 1 1\r\na\r\nMSG answer 1 1\r\nb\r\n",
    ],
    ["no-responders answers reach only one subscription", `${QUIET}SUB answer 1\r\nSUB other 2\r\n${ASK}`, NO_RESPONDERS],
    ["no-responders answers skip queue groups", `${QUIET}SUB answer group 1\r\n${ASK}`, ""],
  ])("%s", async (_title, sent, expected) => {
    const client = await RawClient.connect(place.at);
    const greeting = client.text.length;
    client.send(`${sent}PING\r\n`);
    const text = await client.until((all) => all.includes("PONG\r\n", greeting));
    client.close();
    expect(text.slice(greeting)).toBe(`${expected}PONG\r\n`);
  });
});
