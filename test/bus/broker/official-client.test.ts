import { readFileSync } from "node:fs";
import {
  type ConnectionOptions,
  createInbox,
  deferred,
  errors,
  headers,
  type NatsConnection,
  type Status,
  wsconnect,
} from "@nats-io/nats-core";
import { ServiceError, Svcm } from "@nats-io/services";
import { connect } from "@nats-io/transport-node";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { type BrokerPermissions, permissionsOf } from "../../../src/bus/broker/permissions.ts";
import { NatsServer } from "../../support/nats/nats-server.ts";
import { Tcp, TOKEN, Web } from "../carriers.ts";

/** The official client as it is installed by everybody: its own transports, nothing of ours on its side. */
interface Server extends AsyncDisposable {
  connect(name: string): Promise<NatsConnection>;
  end(): Promise<void>;
  begin(): Promise<void>;
}

const opened: NatsConnection[] = [];
const keep = async (connecting: Promise<NatsConnection>) => {
  const connection = await connecting;
  opened.push(connection);
  return connection;
};

/** With headers that browsers send by themselves. */
function dialWeb(web: Web, sent: Record<string, string>, options: ConnectionOptions): Promise<NatsConnection> {
  const wsFactory = async () => {
    const socket = new WebSocket(`ws://${web.rig.host}/mgr/bus`, { headers: sent });
    return { socket: socket as unknown as globalThis.WebSocket, encrypted: false };
  };
  return wsconnect({ servers: `ws://${web.rig.host}`, wsFactory, ...options });
}

/** However long the server is away: by default it gives up after ten attempts. */
const PERSISTENT = { reconnectTimeWait: 50, maxReconnectAttempts: -1 };

const SERVERS: Record<string, () => Promise<Server>> = {
  async "the embedded broker over TCP"() {
    const tcp = new Tcp();
    await tcp.begin();
    return withConnect(tcp, (name) => connect({ servers: `127.0.0.1:${tcp.port}`, token: TOKEN, name, ...PERSISTENT }));
  },
  async "the embedded broker over its WebSocket"() {
    const web = new Web();
    await web.begin();
    return withConnect(web, (name) => dialWeb(web, web.headers, { name, ...PERSISTENT }));
  },
  async "nats-server"() {
    const server = await NatsServer.start();
    return withConnect(server, (name) => connect({ servers: server.url, name, ...PERSISTENT }));
  },
};

function withConnect(server: Omit<Server, "connect">, dial: (name: string) => Promise<NatsConnection>): Server {
  return {
    connect: (name) => keep(dial(name)),
    begin: () => server.begin(),
    end: () => server.end(),
    [Symbol.asyncDispose]: async () => {
      for (const connection of opened.splice(0)) await connection.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function statusOf<T extends Status["type"]>(connection: NatsConnection, type: T): Promise<Extract<Status, { type: T }>> {
  for await (const status of connection.status()) if (status.type === type) return status as Extract<Status, { type: T }>;
  throw new Error(`the connection was closed before its status was '${type}'`);
}

describe.each(Object.keys(SERVERS))("the official client with %s", (name) => {
  let server: Server;
  let nc: NatsConnection;
  beforeEach(async () => {
    server = await (SERVERS[name] as () => Promise<Server>)();
    nc = await server.connect("main");
  });
  afterEach(async () => {
    await server[Symbol.asyncDispose]();
  });

  it("receives its limits and its client id", () => {
    expect(nc.info).toMatchObject({ max_payload: 1024 * 1024, headers: true, proto: 1 });
    expect(nc.info?.client_id).toBeGreaterThan(0);
  });

  it("sends requests to one and to many, and by an inbox of its own", async () => {
    for (const answer of ["one", "two", "three"]) nc.subscribe("poll", { callback: (_error, message) => void message.respond(answer) });
    await nc.flush();
    const answers: string[] = [];
    for await (const message of await nc.requestMany("poll", "", { strategy: "count", maxMessages: 3, maxWait: 60_000 }))
      answers.push(message.string());
    expect(answers.sort()).toEqual(["one", "three", "two"]);
    expect(["one", "two", "three"]).toContain(
      (await nc.request("poll", "", { timeout: 60_000, noMux: true, reply: createInbox() })).string(),
    );
  });

  it("gets headers unchanged, also with several values and with none", async () => {
    const sub = nc.subscribe("with.headers", { max: 2 });
    const sent = headers();
    sent.append("A", "1");
    sent.append("A", "2");
    sent.set("Empty", "");
    nc.publish("with.headers", "body", { headers: sent });
    nc.publish("with.headers", "bare", { headers: headers() });
    const seen: unknown[] = [];
    for await (const message of sub) seen.push([message.string(), message.headers?.values("A"), message.headers?.get("Empty")]);
    expect(seen).toEqual([
      ["body", ["1", "2"], ""],
      ["bare", undefined, undefined],
    ]);
  });

  it("shares the work of a queue group among its members, other groups and plain subscribers get all of it", async () => {
    const counts = { first: 0, second: 0, other: 0, plain: 0 };
    const member = (key: keyof typeof counts, queue?: string) =>
      nc.subscribe("work", { ...(queue === undefined ? {} : { queue }), callback: () => void counts[key]++ });
    member("first", "a");
    member("second", "a");
    member("other", "b");
    member("plain");
    for (let n = 0; n < 200; n++) nc.publish("work", "");
    await nc.flush();
    expect(counts.first + counts.second).toBe(200);
    expect(Math.min(counts.first, counts.second)).toBeGreaterThan(20);
    expect(counts).toMatchObject({ other: 200, plain: 200 });
  });

  it("subscribes by wildcards: one token each, or all that follow", async () => {
    const seen: string[] = [];
    const note = (pattern: string) =>
      nc.subscribe(pattern, { callback: (_error, message) => void seen.push(`${pattern} ${message.subject}`) });
    for (const pattern of ["w.*.c", "w.>", "w.a.c", "*.a.*"]) note(pattern);
    for (const subject of ["w.a.c", "w.b.c", "w.a.c.d", "w", "v.a.x"]) nc.publish(subject, "");
    await nc.flush();
    expect(seen.sort()).toEqual(
      ["*.a.* v.a.x", "*.a.* w.a.c", "w.*.c w.a.c", "w.*.c w.b.c", "w.> w.a.c", "w.> w.a.c.d", "w.> w.b.c", "w.a.c w.a.c"].sort(),
    );
  });

  it("is notified at once that there is no responder", async () => {
    await expect(nc.request("nobody", "", { timeout: 60_000 })).rejects.toBeInstanceOf(errors.RequestError);
    await expect(nc.request("nobody", "", { timeout: 60_000 })).rejects.toThrow(/no responders/);
  });

  it("drains: messages sent before are handled, later ones are not received", async () => {
    const [publisher, drainer] = [nc, await server.connect("drainer")];
    let seen = 0;
    const sub = drainer.subscribe("drops", { callback: () => void seen++ });
    await drainer.flush();
    for (let n = 0; n < 500; n++) publisher.publish("drops", "");
    await publisher.flush();
    await sub.drain();
    expect(seen).toBe(500);
    publisher.publish("drops", "");
    await publisher.flush();
    await drainer.flush();
    expect(seen).toBe(500);
    await drainer.drain();
    expect(drainer.isClosed()).toBe(true);
  });

  it("does not receive its own messages if echo is off", async () => {
    let seen = 0;
    nc.subscribe("echo", { callback: () => void seen++ });
    const other = await server.connect("other");
    nc.publish("echo", "");
    other.publish("echo", "");
    await Promise.all([nc.flush(), other.flush()]);
    await nc.flush();
    expect(seen).toBe(2);
  });

  it("offers micro services, discovers them, requests their statistics, and receives their errors", async () => {
    const svc = new Svcm(nc);
    const service = await svc.add({ name: "arm", version: "1.2.3", description: "moves", metadata: { port: "5" } });
    service.addEndpoint("double", (error, message) => {
      const value = Number(message?.string());
      if (error || Number.isNaN(value)) message?.respondError(400, "no number");
      else message?.respond(String(2 * value));
    });
    const other = await server.connect("caller");
    expect((await other.request("double", "21", { timeout: 60_000 })).string()).toBe("42");
    const refused = await other.request("double", "x", { timeout: 60_000 });
    expect(ServiceError.toServiceError(refused)).toMatchObject({ code: 400, message: "no number" });
    const client = new Svcm(other).client({ strategy: "stall", maxWait: 60_000 });
    const found = async <T>(asking: Promise<AsyncIterable<T>>) => {
      const all: T[] = [];
      for await (const one of await asking) all.push(one);
      return all;
    };
    expect(await found(client.ping("arm"))).toMatchObject([{ name: "arm", version: "1.2.3", metadata: { port: "5" } }]);
    expect(await found(client.info("arm"))).toMatchObject([{ description: "moves", endpoints: [{ name: "double" }] }]);
    const [stats] = await found(client.stats("arm"));
    expect(stats?.endpoints?.[0]).toMatchObject({ num_requests: 2 });
    await service.stop();
    await expect(other.request("double", "1", { timeout: 60_000 })).rejects.toThrow(/no responders/);
  });

  it("reconnects with its subscriptions when the server restarts", async () => {
    const got = deferred<string>();
    nc.subscribe("after", { callback: (_error, message) => got.resolve(message.string()) });
    await nc.flush();
    const lost = statusOf(nc, "disconnect");
    const back = statusOf(nc, "reconnect");
    await server.end();
    await lost;
    await server.begin();
    await back;
    nc.publish("after", "the storm");
    expect(await got).toBe("the storm");
  });
});

const ARM = { user: "arm", pass: "arm-password" };
const FAR = { user: "far", pass: "far-password" };
const MANAGER = { user: "manager", pass: "manager-password" };

type Member = { user: string; pass: string };
interface Guarded extends AsyncDisposable {
  /** Null: somebody without credentials. */
  join(who: Member | null): Promise<NatsConnection>;
}
const membersOf = (secretOf: (member: Member) => string): [string, BrokerPermissions][] => [
  [secretOf(ARM), permissionsOf({ kind: "client", name: "arm" })],
  [secretOf(FAR), permissionsOf({ kind: "host", name: "far" })],
  [secretOf(MANAGER), {}],
];
const overTcp = (server: { port: number } & AsyncDisposable): Guarded => ({
  join: (who) => keep(connect({ servers: `127.0.0.1:${server.port}`, ...who, reconnect: false })),
  [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
});

/** The rules of docs/bus.md: our own, and as nats-server is told them. */
const GUARDED: Record<string, () => Promise<Guarded>> = {
  async "the embedded broker over TCP"() {
    const tcp = new Tcp(
      false,
      membersOf(({ user, pass }) => `${user}:${pass}`),
    );
    await tcp.begin();
    return overTcp(tcp);
  },
  async "the embedded broker over its WebSocket"() {
    const web = new Web(membersOf(({ pass }) => pass));
    await web.begin();
    return {
      join: (who) => keep(dialWeb(web, who === null ? {} : { Authorization: `Bearer ${who.pass}` }, { reconnect: false })),
      [Symbol.asyncDispose]: () => web[Symbol.asyncDispose](),
    };
  },
  "nats-server with the rules of docs/bus.md": async () => overTcp(await NatsServer.start(documentedRules())),
};

/** The block of the page, with the names and passwords of above. */
function documentedRules(): string {
  const page = readFileSync(new URL("../../../docs/bus.md", import.meta.url), "utf8");
  const [block = ""] = /^authorization \{[\s\S]*?^\]\}/m.exec(page) ?? [];
  const passwords = [MANAGER.pass, FAR.pass, ARM.pass];
  return block
    .replaceAll("rt1", "far")
    .replace("user: client", "user: arm")
    .replace(/password: …/g, () => `password: "${passwords.shift()}"`);
}

describe.each(Object.keys(GUARDED))("permissions of %s, as the official client sees them", (name) => {
  let server: Guarded;
  const join = (who: Member | null) => server.join(who);
  beforeEach(async () => {
    server = await (GUARDED[name] as () => Promise<Guarded>)();
  });
  afterEach(async () => {
    for (const connection of opened.splice(0)) await connection.close();
    await server[Symbol.asyncDispose]();
  });

  it("refuses wrong credentials and none", async () => {
    // Over the one port there is no connection at all, and the client does not tell the 401 of its door.
    const refusal = name.includes("WebSocket") ? /connection refused/ : /Authorization Violation/i;
    await expect(join({ ...ARM, pass: "wrong" })).rejects.toThrow(refusal);
    await expect(join(null)).rejects.toThrow(refusal);
  });

  it("allows only the manager to command a host", async () => {
    const [arm, far, manager] = [await join(ARM), await join(FAR), await join(MANAGER)];
    const commands: string[] = [];
    far.subscribe("mgr.host.far.do.*", { callback: (_error, message) => void commands.push(message.string()) });
    await far.flush();
    for (const intruder of [arm, far]) {
      const refused = statusOf(intruder, "error");
      intruder.publish("mgr.host.near.do.stop", "intruder");
      expect((await refused).error).toMatchObject({
        name: "PermissionViolationError",
        operation: "publish",
        subject: "mgr.host.near.do.stop",
      });
    }
    const refused = statusOf(arm, "error");
    arm.publish("mgr.host.far.do.stop", "intruder");
    await refused;
    manager.publish("mgr.host.far.do.stop", "manager");
    await manager.flush();
    await far.flush();
    expect(commands).toEqual(["manager"]);
  });

  it("lets a host publish only for itself, and a client not for a host", async () => {
    const [arm, far, manager] = [await join(ARM), await join(FAR), await join(MANAGER)];
    const heard: string[] = [];
    manager.subscribe("mgr.host.*.event", { callback: (_error, message) => void heard.push(message.subject) });
    await manager.flush();
    far.publish("mgr.host.far.event", "");
    far.publish("mgr.host.near.event", "");
    far.publish("topic", "");
    arm.publish("mgr.host.far.event", "");
    await Promise.all([far.flush(), arm.flush()]);
    await manager.flush();
    expect(heard).toEqual(["mgr.host.far.event"]);
  });

  it("allows no member to receive messages for others, neither by name nor by a wildcard that covers them", async () => {
    const [arm, far, manager] = [await join(ARM), await join(FAR), await join(MANAGER)];
    for (const [who, subject] of [
      [arm, "mgr.host.far.output"],
      [arm, "mgr.host.>"],
      [far, "mgr.host.near.do.*"],
      [far, "mgr.host.>"],
    ] as const) {
      const sub = who.subscribe(subject);
      await expect(sub.closed).resolves.toMatchObject({ name: "PermissionViolationError", operation: "subscription", subject });
    }
    const seen: string[] = [];
    arm.subscribe(">", { callback: (error, message) => void (error || seen.push(message.subject)) });
    await arm.flush();
    manager.publish("mgr.host.far.do.write", "a password");
    manager.publish("arm.state", "");
    await manager.flush();
    await arm.flush();
    expect(seen).toEqual(["arm.state"]);
  });

  it("lets members answer the requests that they received", async () => {
    const [far, manager] = [await join(FAR), await join(MANAGER)];
    far.subscribe("mgr.host.far.do.ping", { callback: (_error, message) => void message.respond("pong") });
    await far.flush();
    expect((await manager.request("mgr.host.far.do.ping", "", { timeout: 60_000 })).string()).toBe("pong");
  });
});
