import type { Msg } from "@nats-io/nats-core";
import { headers, type NatsConnection } from "@nats-io/transport-node";
import { describe, expect, it } from "vitest";
import { type Broker, createBroker } from "../../../src/bus/broker/broker.ts";
import { HubConnection } from "../../../src/bus/broker/leaf/hub-connection.ts";
import type { BusServer } from "../../../src/bus/client/connect-bus.ts";
import { hubDial } from "../../../src/bus/client/hub-dial.ts";
import { ForeignPackets } from "../../../src/bus/registry/foreign-packets.ts";
import { Registry } from "../../../src/bus/registry/registry.ts";
import { NatsServer } from "../../support/nats/nats-server.ts";
import { HUBS, type HubName } from "../leaf/leaf-rig.ts";
import { collect, RegistryRig } from "./registry-rig.ts";

const STATE = { name: "arm/state", encoding: "raw", keep_last: true };

/** Two hosts that a hub links, and a third that has the topic already. */
class LinkedHosts implements AsyncDisposable {
  readonly #ends: (() => Promise<unknown>)[] = [];
  readonly #server: BusServer;
  readonly hub: Broker;

  private constructor(nats: NatsServer | null) {
    const registry = new Registry({ host: "hub", server: "hub", place: () => ({ port: 0, unix_socket: null }), log: () => {} });
    this.hub = createBroker({ hooks: registry });
    this.#server = nats ? { kind: "url", urls: [`nats://127.0.0.1:${nats.leafPort}`] } : { kind: "memory", broker: this.hub };
    if (nats) this.#ends.push(() => nats[Symbol.asyncDispose]());
    this.#ends.push(() => this.hub.close());
  }

  static async start(hub: HubName): Promise<LinkedHosts> {
    return new LinkedHosts(hub === "nats-server" ? await NatsServer.start('leafnodes {listen: "127.0.0.1:$LEAF_PORT"}') : null);
  }

  async host(name: string): Promise<{ rig: RegistryRig; link: HubConnection }> {
    const rig = await RegistryRig.start();
    this.#ends.push(() => rig[Symbol.asyncDispose]());
    return { rig, link: await this.link(rig, name) };
  }

  async link({ broker }: RegistryRig, name: string): Promise<HubConnection> {
    let up = () => {};
    const isUp = new Promise<void>((resolve) => {
      up = resolve;
    });
    const onChange = (isLinked: boolean) => isLinked && up();
    const link = new HubConnection({ broker, name, dial: hubDial({ server: this.#server }), log: () => {}, onChange });
    this.#ends.push(() => link.close());
    await isUp;
    return link;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const end of this.#ends.reverse()) await end();
  }
}

/** What docs/clients.md says of messages that come again. */
function isNew({ headers: own }: Msg, index: number, all: readonly Msg[]): boolean {
  return !own?.has("Mgr-Last") || !all.slice(0, index).some((before) => before.headers?.get("Mgr-Seq") === own.get("Mgr-Seq"));
}

const texts = (messages: readonly Msg[]) => messages.map((message) => message.string());

function publish(publisher: NatsConnection, seq: number): void {
  const sent = headers();
  sent.set("Mgr-Seq", `${seq}`);
  publisher.publish("topic.arm.state", `${seq}`, { headers: sent });
}

describe.each(HUBS)("keep_last between hosts linked by %s", (hubName) => {
  it("sends kept messages over a link at the reader's pace: 40 of 500 KB, more than a queue holds, all arrive", async () => {
    await using hosts = await LinkedHosts.start(hubName);
    const [here, far] = [await hosts.host("rt1"), await hosts.host("rt2")];
    const names = Array.from({ length: 40 }, (_, n) => `image/${n}`);
    const publisher = await here.rig.client(
      "camera",
      names.map((name) => ({ ...STATE, name })),
    );
    for (const [n] of names.entries()) {
      publisher.publish(`topic.image.${n}`, Buffer.alloc(500_000, "x"));
      await publisher.flush();
    }
    const first = collect(await far.rig.connect("first"), "topic.image.>");
    await expect.poll(() => new Set(first.map(({ subject }) => subject)).size).toBe(40);
    const second = collect(await far.rig.connect("second"), "topic.image.>");
    await expect.poll(() => new Set(second.map(({ subject }) => subject)).size).toBe(40);
    expect(second.every(({ data, headers: own }) => data.length === 500_000 && own?.get("Mgr-Last") === "1")).toBe(true);
  });

  it("each new subscriber of another host gets the newest message once, marked, and then the live ones in order", async () => {
    await using hosts = await LinkedHosts.start(hubName);
    const [here, far] = [await hosts.host("rt1"), await hosts.host("rt2")];
    const publisher = await here.rig.client("driver", [STATE]);
    publish(publisher, 1);
    await publisher.flush();
    const first = await far.rig.connect("first");
    const heard = [collect(first, "topic.arm.state")];
    await expect.poll(() => texts(heard[0] ?? [])).toEqual(["1"]);
    publish(publisher, 2);
    await expect.poll(() => texts(heard[0] ?? [])).toEqual(["1", "2"]);
    const later = await far.rig.connect("later");
    heard.push(collect(later, "topic.arm.state"), collect(later, "topic.>"), collect(first, "topic.arm.*"));
    await expect.poll(() => heard.slice(1).every((messages) => messages.length > 0)).toBe(true);
    publish(publisher, 3);
    await expect.poll(() => heard.map((messages) => texts(messages).at(-1))).toEqual(["3", "3", "3", "3"]);
    // nats-server tells of each pattern, but not that the host has another that matches.
    const isExact = hubName === "the manager's broker";
    for (const received of heard.slice(1)) {
      const messages = isExact ? received : received.filter(isNew);
      expect(texts(messages)).toEqual(["2", "3"]);
      expect(messages[0]?.subject).toBe("topic.arm.state");
      expect(messages.map((message) => message.headers?.get("Mgr-Last"))).toEqual(["1", ""]);
      expect(messages.map((message) => message.headers?.get("Mgr-Seq"))).toEqual(["2", "3"]);
    }
  });

  it("what was published while the link was down is delivered when it is back, also if another host has the topic already", async () => {
    await using hosts = await LinkedHosts.start(hubName);
    const [here, other, far] = [await hosts.host("rt1"), await hosts.host("rt3"), await hosts.host("rt2")];
    const publisher = await here.rig.client("driver", [STATE]);
    const [onOther, onFar] = [await other.rig.connect("other"), await far.rig.connect("reader")];
    const [elsewhere, heard] = [collect(onOther, "topic.arm.state"), collect(onFar, "topic.arm.state")];
    // Subscriptions become known in their order.
    const known = collect(onOther, "known");
    await onFar.flush();
    await far.link.close();
    await expect
      .poll(() => {
        publisher.publish("known");
        return known.length;
      })
      .toBeGreaterThan(0);
    publish(publisher, 1);
    await expect.poll(() => texts(elsewhere)).toEqual(["1"]);
    await hosts.link(far.rig, "rt2");
    await expect.poll(() => texts(heard)).toContain("1");
    expect(heard[0]?.headers?.get("Mgr-Last")).toBe("1");
  });
});

it.each(HUBS)(
  "what comes from elsewhere for a topic of this host is a sign of an unknown client with a nats-server only: %s",
  async (hubName) => {
    await using hosts = await LinkedHosts.start(hubName);
    const [here, far] = [await hosts.host("rt1"), await hosts.host("rt2")];
    const publisher = await here.rig.client("driver", [STATE]);
    const heard = collect(publisher, "topic.arm.state");
    const other = await far.rig.connect("other");
    await expect
      .poll(() => {
        other.publish("topic.arm.state", "mine");
        return texts(heard);
      })
      .toContain("mine");
    publish(publisher, 1);
    const changed = () => here.rig.changes.some((change) => change.kind === "counters" && change.counters.packets === 1);
    // By now it has been looked at.
    await expect.poll(() => changed() || here.rig.topic("arm/state")?.foreign).toBe(true);
    expect(here.rig.topic("arm/state")?.foreign).toBe(hubName === "nats-server");
  },
);

it("an unknown client counts as present until ten seconds after its last packet", () => {
  const foreign = new ForeignPackets();
  expect([foreign.read(0), foreign.isPresent]).toEqual([false, false]);
  foreign.see();
  expect([foreign.read(500), foreign.isPresent]).toEqual([true, true]);
  expect([foreign.read(10_400), foreign.isPresent]).toEqual([false, true]);
  expect([foreign.read(10_500), foreign.isPresent]).toEqual([true, false]);
});

it("a client of the hub gets the newest message of a host, also if another client of the hub has the topic already", async () => {
  await using hosts = await LinkedHosts.start("the manager's broker");
  const { rig } = await hosts.host("rt1");
  const publisher = await rig.client("driver", [STATE]);
  publish(publisher, 1);
  await publisher.flush();
  for (let reader = 0; reader < 2; reader++) {
    const stream = hosts.hub.connectMemory();
    let said = "";
    const data = (bytes: Uint8Array) => {
      said += Buffer.from(bytes).toString();
    };
    stream.open({ data, drained: () => {}, closed: () => {} });
    stream.write([Buffer.from('CONNECT {"verbose":false,"headers":true}\r\nSUB topic.arm.state 1\r\n')]);
    await expect.poll(() => said).toMatch(/HMSG topic\.arm\.state 1 \d+ \d+\r\nNATS\/1\.0\r\nMgr-Seq: 1\r\nMgr-Last: 1\r\n\r\n1\r\n$/);
  }
});

it("a client can neither request kept messages as a broker nor answer such requests", async () => {
  await using rig = await RegistryRig.start();
  const client = await rig.connect("spy");
  const refused: string[] = [];
  void (async () => {
    for await (const status of client.status()) if (status.type === "error") refused.push(status.error.message);
  })();
  const heard = collect(client, ">");
  client.subscribe("$MGR.kept", { callback: () => {} });
  client.publish("$MGR.kept", "topic.>", { reply: "_INBOX.x.1" });
  await client.flush();
  await expect.poll(() => refused.join()).toMatch(/Subscription to "\$MGR\.kept".*Publish to "\$MGR\.kept"/);
  const other = await rig.connect("other");
  collect(other, "topic.arm.*");
  await other.flush();
  expect(heard).toEqual([]);
});
