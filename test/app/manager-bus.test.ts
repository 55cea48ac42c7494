import { once } from "node:events";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import type { RefusedDaemon } from "../../src/app/bus/bus-tokens.ts";
import { type ManagerBus, openManagerBus } from "../../src/app/bus/manager-bus.ts";
import type { Bus } from "../../src/bus/client/bus.ts";
import { type ConnectBusOptions, connectBus } from "../../src/bus/client/connect-bus.ts";
import { loadConfigObject } from "../../src/config/load/load.ts";
import type { ConfigInput } from "../../src/config/schema/schema.ts";
import { LogBook } from "../../src/log/log-book.ts";
import { RawClient } from "../bus/bus-rig.ts";
import { makeCertificate } from "../http/certificates.ts";
import { GOOD, PASSWORD, Rig, USER } from "../http/rig.ts";
import { accessOf } from "../support/access.ts";
import { makeCredentials } from "../support/nats/nats-credentials.ts";
import { NatsServer } from "../support/nats/nats-server.ts";

const FAR_TOKEN = "far-token-0123456789abcdef";
const SECRET = `${USER}:${encodeURIComponent(PASSWORD)}`;

interface Opened {
  bus: ManagerBus;
  rig: Rig;
  /** Of the TCP port. */
  place: string;
  /** The same, with the credentials of a web user. */
  userUrl: string;
  close(): Promise<void>;
}

describe("a manager's bus", () => {
  let folder: string;
  let log: LogBook;
  let led: string[];
  let refused: RefusedDaemon[];
  let hosts: NonNullable<ConfigInput["hosts"]>;
  const cleanups: (() => unknown)[] = [];

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "mgr-manager-bus-"));
    log = new LogBook({ capacity: 1_000, now: () => 0 });
    led = [];
    refused = [];
    write("far.token", `${FAR_TOKEN}\n`);
    hosts = { far: { token_file: "far.token" }, near: {} };
  });
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
    rmSync(folder, { recursive: true, force: true });
  });

  function write(name: string, text: string, mode = 0o600): void {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), mode);
  }

  const logged = () =>
    log
      .entries()
      .map(({ level, msg }) => `${level}: ${msg}`)
      .join("\n");

  /** Port and bus, as a manager has them. */
  async function open(instance: object = { bus_listen: "127.0.0.1:0" }, access = accessOf()): Promise<Opened> {
    const load = () => loadConfigObject({ instance: { state_dir: ".", ...instance }, hosts }, { base_dir: folder, state_dir: folder });
    const bus = await openManagerBus({
      instance: load().instance,
      log,
      hosts: () => load().hosts,
      isManaged: (host) => led.includes(host),
      onRefused: (daemon) => refused.push(daemon),
    });
    const rig = await Rig.start({ bus: bus.busUpgrade, access });
    const place = `127.0.0.1:${await bus.listen(rig.server)}`;
    let isClosed = false;
    const close = async () => {
      if (isClosed) return;
      isClosed = true;
      await bus.retire();
      await rig[Symbol.asyncDispose]();
      await bus.close();
    };
    cleanups.push(close);
    return { bus, rig, close, place, userUrl: `nats://${SECRET}@${place}` };
  }

  async function visit(url: string, options: Partial<ConnectBusOptions> = {}): Promise<Bus> {
    const bus = await connectBus({ server: { kind: "url", urls: [url] }, name: "guest", waitForBroker: false, ...options });
    cleanups.push(() => bus.close());
    return bus;
  }
  const lost = (bus: Bus) => new Promise<void>((resolve) => bus.onConnection((isUp) => !isUp && resolve()));

  it("has no TCP port unless the configuration names one", async () => {
    const { bus, rig } = await open({});
    expect(await bus.listen(rig.server)).toBeNull();
  });

  it("prevents the start of the manager if the configured port is taken", async () => {
    const squatter = createServer().listen(0, "127.0.0.1");
    await once(squatter, "listening");
    cleanups.push(() => new Promise((resolve) => squatter.close(resolve)));
    const { port } = squatter.address() as { port: number };
    await expect(open({ bus_listen: `127.0.0.1:${port}` })).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining(`port ${port} of 127.0.0.1 is taken by pid ${process.pid}`),
    });
  });

  it("admits web users by their password, over TCP and over the one port, until the password changes", async () => {
    const { bus, rig, place, userUrl } = await open();
    const guests = [await visit(userUrl), await visit(`ws://${SECRET}@${rig.host}`)];
    expect(
      bus.broker
        .stats()
        .clients.filter(({ user }) => user === `client:@${USER}`)
        .map(({ kind }) => kind)
        .sort(),
    ).toEqual(["tcp", "websocket"]);
    await expect(visit(`nats://${USER}:wrong@${place}`)).rejects.toThrow(/Authorization Violation/i);
    await expect(visit(`ws://${USER}:wrong@${rig.host}`)).rejects.toThrow(/status 401: Unknown user or wrong password/);
    const ends = Promise.all(guests.map(lost));
    rig.writeAuth("bob secret\n");
    await ends;
  });

  it("admits a browser with a session, from its own pages only", async () => {
    const { rig } = await open();
    const cookie = await rig.cookie();
    const ws = new WebSocket(`ws://${rig.host}/mgr/bus`, { headers: { cookie, origin: `http://${rig.host}` } });
    const [greeting] = (await once(ws, "message")) as [Buffer];
    expect(greeting.toString()).toMatch(/^INFO \{.*"max_payload":1048576.*\} \r\n$/);
    ws.terminate();
    const foreign = new WebSocket(`ws://${rig.host}/mgr/bus`, { headers: { cookie, origin: "http://evil.example" } });
    const [, response] = await once(foreign, "unexpected-response");
    expect(response.statusCode).toBe(403);
    foreign.on("error", () => {});
    foreign.terminate();
  });

  it("admits the daemon of a configured host by its token file, as that host only, until the token changes", async () => {
    const { bus, rig, place } = await open();
    const far = [await visit(`nats://${place}`, { token: FAR_TOKEN }), await visit(`ws://${rig.host}/mgr/bus`, { token: FAR_TOKEN })];
    expect(bus.broker.stats().clients.filter(({ user }) => user === "host:far")).toHaveLength(2);
    await expect(visit(`nats://${place}`, { token: "near-token-0123456789abcd" })).rejects.toThrow(/Authorization Violation/i);
    await expect(visit(`ws://${rig.host}`, { token: "near-token-0123456789abcd" })).rejects.toThrow(/status 401/);
    const ends = Promise.all(far.map(lost));
    write("far.token", "another-token-0123456789");
    await ends;
  });

  it.each([
    { by: "over TCP", name: "daemon near control", url: (place: string) => `nats://${place}` },
    { by: "over the one port", name: "daemon near bulk", url: (_: string, host: string) => `ws://${host}/mgr/bus` },
  ])("refuses a daemon that connects $by with the token of another host, and names the host of the token", async ({ name, url }) => {
    const { rig, place } = await open();
    await expect(visit(url(place, rig.host), { token: FAR_TOKEN, name })).rejects.toThrow(
      /Authorization Violation: this token belongs to far/,
    );
    expect(refused).toEqual([{ claimed: "near", owner: "far", address: expect.stringMatching(/^127\.0\.0\.1:\d+$/) }]);
    await visit(url(place, rig.host), { token: FAR_TOKEN, name: name.replace("near", "far") });
    expect(refused).toHaveLength(1);
  });

  it("keeps a removed host until the manager has nothing to do with it", async () => {
    const { bus, place } = await open();
    const far = await visit(`nats://${place}`, { token: FAR_TOKEN });
    led = ["far"];
    hosts = {};
    bus.broker.revalidate();
    await far.flush();
    expect(far.isConnected).toBe(true);
    const end = lost(far);
    led = [];
    bus.broker.revalidate();
    await end;
  });

  it.each([
    ["too short", "short", 0o600, /20 characters or more/],
    ["open to everybody", FAR_TOKEN, 0o644, /all users can read it; run: chmod 600/],
    ["of two words", `${FAR_TOKEN} again`, 0o600, /must contain one token/],
  ])("refuses a token file that is %s, and reports which and why", async (_what, text, mode, reason) => {
    write("far.token", text, mode);
    const { place } = await open();
    await expect(visit(`nats://${place}`, { token: text.split(" ")[0] ?? "" })).rejects.toThrow(/Authorization/i);
    expect(logged()).toMatch(/warning: the token of host 'far' cannot be read from .*far\.token: /);
    expect(logged()).toMatch(reason);
  });

  it("uses TLS with a certificate where others reach it, and never on loopback", async () => {
    const { certFile, keyFile } = makeCertificate(folder, "bench");
    const { bus } = await open({ bus_listen: "0.0.0.0:0", webui_https_cert_file: certFile, webui_https_key_file: keyFile });
    const port = /tls:\/\/0\.0\.0\.0:(\d+)/.exec(logged())?.[1];
    const server = (ca?: string) =>
      ({ kind: "url", urls: [`tls://localhost:${port}`], ...(ca === undefined ? {} : { tls: { ca } }) }) as const;
    const far = await visit("", { server: server(readFileSync(certFile, "utf8")), token: FAR_TOKEN });
    const answer = bus.local.request("far.question", "", { timeoutMs: 60_000 }).catch(({ code }) => code);
    expect(await answer).toBe("host_unavailable");
    far.publish("mgr.host.far.event", "{}");
    await far.flush();
    await expect(visit("", { server: server(), token: FAR_TOKEN })).rejects.toThrow(/self-signed certificate/);
    const near = await open({ bus_listen: "localhost:0", webui_https_cert_file: certFile, webui_https_key_file: keyFile });
    await expect(visit("", { server: { kind: "url", urls: [`tls://${near.place}`] } })).rejects.toThrow(/does not offer TLS/);
    await visit(near.userUrl);
  });

  it("lets a user with the role viewer subscribe only, users with roles on some processes connect, and those without a role not", async () => {
    const access = accessOf({ users: { bob: "viewer", [USER]: [] } });
    const { rig, place, userUrl } = await open(undefined, access);
    const [host = "", port] = place.split(":");
    const raw = await RawClient.connect({ host, port: Number(port) });
    raw.send(
      `CONNECT ${JSON.stringify({ verbose: false, user: "bob", pass: "secret" })}\r\nSUB arm.* 1\r\nPUB arm.state 1\r\nx\r\nPING\r\n`,
    );
    expect(await raw.until((text) => text.includes("PONG"))).toMatch(/Permissions Violation for Publish to "arm\.state"/);
    raw.close();
    await expect(visit(userUrl)).rejects.toThrow(/Authorization Violation/i);
    await expect(visit(`ws://${SECRET}@${rig.host}`)).rejects.toThrow(
      /status 403: \/mgr\/bus needs the role viewer on at least one process/,
    );
  });

  it("announces its end to its clients (lame duck), and accepts no new ones", async () => {
    const { close, userUrl } = await open();
    const url = new URL(userUrl);
    const raw = await RawClient.connect({ host: url.hostname, port: Number(url.port) });
    raw.send(`CONNECT ${JSON.stringify({ verbose: false, user: USER, pass: PASSWORD })}\r\nPING\r\n`);
    await raw.until((text) => text.includes("PONG"));
    const ended = raw.end();
    await close();
    const said = await ended;
    expect(said.slice(said.indexOf("PONG"))).toMatch(/^PONG\r\nINFO \{.*"ldm":true.*\} \r\n$/);
    await expect(visit(url.href)).rejects.toMatchObject({ code: "host_unavailable" });
  });

  it("reports connections, subjects and their counters", async () => {
    const { rig, userUrl } = await open();
    const arm = await visit(userUrl, { name: "arm" });
    const eye = await visit(userUrl, { name: "eye" });
    eye.subscribe("arm.*", () => {});
    await eye.flush();
    for (let n = 0; n < 5; n++) arm.publish("arm.state", "12345678");
    await arm.flush();
    await eye.flush();
    const report = (await (await rig.get("/mgr/bus", { authorization: GOOD })).json()) as {
      connections: { id: number; name: string; in_msgs: number; out_msgs: number }[];
      subjects: { subject: string; publishers: number[] }[];
    };
    const arms = report.connections.find(({ name }) => name === "arm");
    expect(arms).toMatchObject({ kind: "tcp", in_msgs: 5, in_bytes: 40, dropped_msgs: 0, subscriptions: 1 });
    expect(report.connections.find(({ name }) => name === "eye")).toMatchObject({ out_msgs: 5, out_bytes: 40 });
    expect(report.subjects.find(({ subject }) => subject === "arm.state")).toEqual({
      subject: "arm.state",
      msgs: 5,
      bytes: 40,
      last_bytes: 8,
      publishers: [arms?.id],
      subscribers: 1,
    });
    const metrics = await (await rig.get("/mgr/metrics", { authorization: GOOD })).text();
    expect(metrics).toContain('mgr_bus_connections{kind="tcp"} 2\n');
    expect(metrics).toContain('mgr_bus_messages_total{direction="dropped"} 0\n');
    expect((await rig.get("/mgr/bus")).status).toBe(401);
  });

  describe("with a server of its own", () => {
    it("continues without it, reports that once, and connects when it starts; uses the next one of the list if one ends", async () => {
      await using one = await NatsServer.start();
      await using two = await NatsServer.start();
      await one.end();
      await two.end();
      const { bus, rig } = await open({ bus: [one.url, two.url] });
      // The local host needs nobody.
      bus.local.subscribe("local", ({ reply }) => reply && bus.local.publish(reply, "here"));
      expect(Buffer.from((await bus.local.request("local", "", { timeoutMs: 60_000 })).data).toString()).toBe("here");
      await one.begin();
      const shared = await bus.shared;
      expect(shared).not.toBe(bus.local);
      const gone = lost(shared);
      const back = new Promise<void>((resolve) => shared.onConnection((isUp) => isUp && resolve()));
      await two.begin();
      await one.end("SIGKILL");
      await gone;
      await back;
      await shared.flush();
      expect(logged()).toMatch(
        /warning: the bus server nats:\/\/127.0.0.1:\d+ cannot be reached, remote hosts and clients are cut off: .*ECONNREFUSED/,
      );
      expect(logged()).toMatch(/info: the bus server nats:\/\/127.0.0.1:\d+ was reached/);
      const ws = new WebSocket(`ws://${rig.host}/mgr/bus`, { headers: { authorization: GOOD } });
      const [, response] = await once(ws, "unexpected-response");
      expect(response.statusCode).toBe(404);
      ws.on("error", () => {});
      ws.terminate();
    });

    it("takes user and password from the address and does not show them", async () => {
      await using server = await NatsServer.start('authorization {user: manager, password: "s:crét"}');
      const { bus, rig } = await open({ bus: `nats://manager:${encodeURIComponent("s:crét")}@127.0.0.1:${server.port}` });
      await (await bus.shared).flush();
      const report = await (await rig.get("/mgr/bus", { authorization: GOOD })).text();
      expect(report).toContain(`"server":"${server.url}"`);
      expect(report + logged()).not.toMatch(/s:cr|s%3A/);
    });

    it("learns from its members what their server does not report", async () => {
      await using server = await NatsServer.start();
      const { bus, rig } = await open({ bus: server.url });
      const shared = await bus.shared;
      shared.subscribe("arm.*", () => {});
      for (let n = 0; n < 3; n++) shared.publish("arm.state", "1234");
      await shared.flush();
      const report = async () => (await (await rig.get("/mgr/bus", { authorization: GOOD })).json()) as { members: unknown[] };
      // Members have half a second to answer, which may be too short on a busy machine.
      await expect
        .poll(async () => (await report()).members)
        .toMatchObject([
          {
            subscriptions: expect.arrayContaining(["arm.*"]),
            subjects: { "arm.state": { out_msgs: 3, out_bytes: 12, in_msgs: 3, in_bytes: 12 } },
          },
        ]);
    });

    it("connects to it with TLS and a certificate of its own", async () => {
      const files = { server: makeCertificate(folder, "server"), client: makeCertificate(folder, "client") };
      await using server = await NatsServer.start(
        `tls {cert_file: "${files.server.certFile}", key_file: "${files.server.keyFile}", ca_file: "${files.client.certFile}", verify: true}`,
      );
      const url = `tls://127.0.0.1:${server.port}`;
      const own = { bus_cert_file: files.client.certFile, bus_key_file: files.client.keyFile };
      const { bus } = await open({ bus: url, bus_ca_file: files.server.certFile, ...own });
      await (await bus.shared).flush();
      expect(logged()).toContain(`info: the bus server ${url} was reached`);
    });

    it("authenticates with a credentials file, and retries while the file is unusable", async () => {
      const { config, credentials } = makeCredentials();
      await using server = await NatsServer.start(config);
      write("manager.creds", makeCredentials().credentials);
      const { bus } = await open({ bus: server.url, bus_credentials_file: "manager.creds" });
      await expect.poll(logged).toContain("Authorization Violation");
      write("manager.creds", credentials);
      await (await bus.shared).flush();
    });

    it("reports at its start which file cannot be read", async () => {
      await expect(open({ bus: "nats://127.0.0.1:1", bus_ca_file: "nowhere.pem" })).rejects.toMatchObject({
        code: "bad_field",
        message: expect.stringMatching(/^instance\.bus_ca_file: .*nowhere\.pem cannot be read/),
      });
    });
  });
});
