import { once } from "node:events";
import { createServer, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { basic, GOOD, Rig, raw } from "../../../http/rig.ts";
import { accessOf } from "../../../support/access.ts";

const OPERATOR = basic("bob", "secret");
const MIB = 1024 * 1024;

let rig: Rig;
/** A program on the host, what it has received, and what it answers. */
const program = createServer((request, response) => {
  seen.push(request);
  answer(request, response);
});
const sockets = new WebSocketServer({ noServer: true });
let seen: IncomingMessage[] = [];
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let port: number;
let name: string;

beforeAll(async () => {
  rig = await Rig.start({ access: accessOf({ users: { ann: "admin", bob: "operator" } }) });
  program.on("upgrade", (request, socket, head) => {
    seen.push(request);
    sockets.handleUpgrade(request, socket, head, (ws) => ws.on("message", (data, isBinary) => ws.send(data, { binary: isBinary })));
  });
  program.listen(0, "127.0.0.1");
  await once(program, "listening");
  ({ port } = program.address() as AddressInfo);
  name = `${port}-testhost.localhost:${rig.server.port}`;
});
beforeEach(() => {
  seen = [];
  answer = (_request, response) => response.end("the program");
});
afterEach(() => {
  vi.useRealTimers();
  for (const { id } of forwards().service.list()) forwards().service.close(id, ADMIN);
  Object.assign(forwards(), { allowed: new Map() });
  forwards().observed.length = 0;
});
afterAll(async () => {
  program.close();
  program.closeAllConnections();
  await rig[Symbol.asyncDispose]();
});

const ADMIN = { user: "ann", via: "cookie", address: "", grants: [{ role: "admin", on: null }] } as const;
const forwards = () => rig.control.features.forward;

interface Sent {
  readonly headers?: Record<string, string | string[]>;
  readonly method?: string;
  readonly body?: Buffer;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A request with a Host header of its own, which fetch would not send. */
async function send(host: string, path: string, { headers = {}, method = "GET", body }: Sent = {}): Promise<Answer> {
  const outgoing = httpRequest({ host: "127.0.0.1", port: rig.server.port, path, method, agent: false, headers: { host, ...headers } });
  outgoing.end(body);
  const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
  return { status: incoming.statusCode ?? 0, headers: incoming.headers, body: await text(incoming) };
}

/** Asks for the address of the port as the page does. */
const ask = (cookie: string, { page = `localhost:${rig.server.port}`, host = "testhost", of = port } = {}) =>
  send(page, `/mgr/forward/web?host=${host}&port=${of}`, { method: "POST", headers: { cookie, origin: `http://${page}` } });

async function addressFor(cookie: string): Promise<string> {
  const { status, body } = await ask(cookie);
  expect([status, body]).toEqual([200, expect.stringContaining(`http://${name}/.mgr-open?ticket=`)]);
  return new URL(JSON.parse(body).url).pathname + new URL(JSON.parse(body).url).search;
}

/** The cookie of the opened port. */
async function opened(cookie?: string): Promise<string> {
  const { status, headers } = await send(name, await addressFor(cookie ?? (await rig.cookie())));
  expect([status, headers.location]).toEqual([303, "/"]);
  return headers["set-cookie"]?.[0]?.split(";")[0] ?? "";
}

describe("an opened port", () => {
  test("passes a request as it would come on the host itself, without anything of the manager", async () => {
    const login = await rig.cookie();
    const grant = await opened(login);
    const { status, body } = await send(name, "//a?b=%20c", {
      method: "POST",
      body: Buffer.from("upload"),
      headers: {
        cookie: `own=1; ${grant}; ${login}; __Host-mgr_port=x`,
        authorization: GOOD,
        origin: `http://${name}`,
        connection: "close, x-listed",
        "x-listed": "1",
        "x-forwarded-for": "9.9.9.9",
        "x-forwarded-user": "root",
        forwarded: "for=9.9.9.9",
        te: "trailers",
        "x-own": ["1", "2"],
      },
    });
    expect([status, body]).toEqual([200, "the program"]);
    expect(seen[0]?.url).toBe("//a?b=%20c");
    expect(seen[0]?.headers).toEqual({
      "content-length": "6",
      connection: "close",
      cookie: "own=1",
      host: `localhost:${port}`,
      origin: `http://localhost:${port}`,
      "x-forwarded-for": "127.0.0.1",
      "x-forwarded-host": name,
      "x-forwarded-proto": "http",
      "x-own": "1, 2",
    });
  });

  test("confines the answer to its host name", async () => {
    const grant = await opened();
    answer = (_request, response) => {
      response.writeHead(302, {
        location: `http://localhost:${port}/next?a=1#b`,
        "set-cookie": [
          "a=1; Domain=localhost; Path=/",
          "mgr_port=stolen",
          "__Host-mgr_port=stolen; Secure; Path=/",
          "mgr_web_session=; Path=/",
        ],
        "strict-transport-security": "max-age=1",
        "clear-site-data": "*",
        connection: "x-listed",
        "x-listed": "1",
        "x-own": "1",
      });
      response.end();
    };
    const { status, headers } = await send(name, "/", { headers: { cookie: grant } });
    expect(status).toBe(302);
    expect(headers).toMatchObject({ location: `http://${name}/next?a=1#b`, "set-cookie": ["a=1; Path=/"], "x-own": "1" });
    for (const gone of ["strict-transport-security", "clear-site-data", "x-listed"]) expect(headers).not.toHaveProperty(gone);
  });

  test("leaves a Location of another place as it is", async () => {
    const grant = await opened();
    for (const location of ["/next", "https://else.example/", `http://localhost:${port + 1}/`]) {
      answer = (_request, response) => response.writeHead(301, { location }).end();
      expect((await send(name, "/", { headers: { cookie: grant } })).headers.location).toBe(location);
    }
  });

  test("streams both ways, and counts the bytes", async () => {
    const grant = await opened();
    answer = (request, response) => request.pipe(response);
    const outgoing = httpRequest({
      host: "127.0.0.1",
      port: rig.server.port,
      method: "POST",
      agent: false,
      headers: { host: name, cookie: grant },
    });
    outgoing.write("first");
    const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
    expect(String((await once(incoming, "data"))[0])).toBe("first");
    const rest = text(incoming);
    outgoing.end(Buffer.alloc(MIB, "x"));
    expect((await rest).length).toBe(MIB);
    await expect.poll(() => forwards().service.list()[0]?.connections).toBe(0);
    const [{ received = 0, sent = 0 } = {}] = forwards().service.list();
    expect(Math.min(received, sent)).toBeGreaterThan(MIB);
  });

  test("is not read from its program while its client does not read", async () => {
    const grant = await opened();
    let written = 0;
    answer = (request, response) => {
      const more = () => {
        while (!request.socket.destroyed && response.write(Buffer.alloc(64 * 1024))) written += 64 * 1024;
      };
      response.on("drain", more);
      more();
    };
    const outgoing = httpRequest({ host: "127.0.0.1", port: rig.server.port, agent: false, headers: { host: name, cookie: grant } }).end();
    const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
    // Ends when the program has waited: the buffers on the way are full.
    for (let before = -1, same = 0; same < 20; same = written === before ? same + 1 : 0, before = written) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(written).toBeLessThan(64 * MIB);
    }
    outgoing.destroy();
    incoming.on("error", () => {});
    await expect.poll(() => forwards().service.list()[0]?.connections).toBe(0);
  });

  test("passes Basic credentials only after its program has asked for them", async () => {
    const grant = await opened();
    const authorization = basic("camera", "password");
    await send(name, "/", { headers: { cookie: grant, authorization } });
    answer = (_request, response) => response.writeHead(401, { "www-authenticate": 'Basic realm="camera"' }).end();
    await send(name, "/", { headers: { cookie: grant } });
    await send(name, "/", { headers: { cookie: grant, authorization } });
    expect(seen.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined, authorization]);
  });

  test("frames a body again, so that none becomes another request", async () => {
    const grant = await opened();
    const inner = `GET /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n`;
    const bodies: string[] = [];
    answer = async (request, response) => {
      bodies.push(await text(request));
      response.end("done");
    };
    const head = `Host: ${name}\r\nCookie: ${grant}\r\n`;
    const chunked = `${head}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`;
    const sized = `${head}Content-Length: ${inner.length}\r\nConnection: close, content-length\r\n\r\n${inner}`;
    for (const rest of [chunked, sized]) expect(await raw(rig.server.port, `GET / HTTP/1.1\r\n${rest}`)).toContain("done");
    const both = `${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`;
    expect(await raw(rig.server.port, `POST / HTTP/1.1\r\n${both}`)).toMatch(/^HTTP\/1\.1 400 /);
    expect(seen.map(({ url }) => url)).toEqual(["/", "/"]);
    expect(bodies).toEqual([inner, inner]);
  });

  test("answers 502 when no program listens or it speaks no HTTP, and cuts an answer that its program breaks off", async () => {
    const grant = await opened();
    answer = ({ socket }) => socket.end("garbage\r\n\r\n");
    expect(await send(name, "/", { headers: { cookie: grant } })).toMatchObject({
      status: 502,
      body: expect.stringContaining("no valid HTTP answer"),
    });
    answer = ({ socket }, response) => {
      response.writeHead(200, { "content-length": 100 }).write("half", () => socket.destroy());
    };
    await expect(send(name, "/", { headers: { cookie: grant } })).rejects.toThrow(/aborted|terminated|closed/i);
  });
});

describe("a WebSocket of an opened port", () => {
  const open = (headers: Record<string, string>) =>
    new WebSocket(`ws://127.0.0.1:${rig.server.port}/echo`, { headers: { host: name, ...headers } });
  const refusal = (ws: WebSocket) =>
    new Promise<number>((resolve) => {
      ws.on("error", () => {});
      ws.once("open", () => resolve(101));
      ws.once("unexpected-response", (request, response) => {
        request.destroy();
        resolve(response.statusCode ?? 0);
      });
    });

  test("passes frames both ways, and ends with the grant", async () => {
    const grant = await opened();
    const ws = open({ cookie: grant, origin: `http://${name}` });
    await once(ws, "open");
    ws.send("hello");
    expect(String((await once(ws, "message"))[0])).toBe("hello");
    expect(seen[0]?.headers).toMatchObject({ host: `localhost:${port}`, origin: `http://localhost:${port}` });
    expect(seen[0]?.headers).not.toHaveProperty("cookie");
    const closed = once(ws, "close");
    for (const { id } of forwards().service.list()) forwards().service.close(id, ADMIN);
    await closed;
  });

  test("is refused for pages of other host names, without a grant, and with a body", async () => {
    const grant = await opened();
    for (const origin of [`http://localhost:${rig.server.port}`, "http://evil.example", "null"])
      expect(await refusal(open({ cookie: grant, origin }))).toBe(403);
    expect(await refusal(open({ cookie: grant }))).toBe(403);
    expect(await refusal(open({ origin: `http://${name}` }))).toBe(401);
    expect(await refusal(open({ cookie: grant, origin: `http://${name}`, "content-length": "3" }))).toBe(400);
    expect(seen).toEqual([]);
  });
});

describe("a port is opened", () => {
  test("by a ticket that is good once, for its host name, and for 30 s", async () => {
    const login = await rig.cookie();
    const used = await addressFor(login);
    expect((await send(name, used)).status).toBe(303);
    expect((await send(name, used)).status).toBe(401);
    const elsewhere = await addressFor(login);
    expect((await send(`${port}-bench.localhost:${rig.server.port}`, elsewhere)).status).toBe(401);
    expect((await send(name, elsewhere)).status).toBe(401);
    vi.useFakeTimers({ toFake: ["performance"] });
    const late = await addressFor(login);
    vi.advanceTimersByTime(30_000);
    expect((await send(name, late)).status).toBe(401);
  });

  test("with a cookie that scripts, other host names and plain HTTP cannot use", async () => {
    const login = await rig.cookie();
    const plain = await send(name, await addressFor(login));
    expect(plain.headers["set-cookie"]).toEqual([expect.stringMatching(/^mgr_port=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)]);
    const secure = await send(name, await addressFor(login), { headers: { "x-forwarded-proto": "https" } });
    expect(secure.headers["set-cookie"]).toEqual([
      expect.stringMatching(/^__Host-mgr_port=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure$/),
    ]);
  });

  test("once for a login, which is recorded with its bytes at the end", async () => {
    const login = await rig.cookie();
    expect(await opened(login)).toBe(await opened(login));
    await send(name, "/", { headers: { cookie: await opened(login) } });
    expect(forwards().service.list()).toMatchObject([{ user: "ann", host: "testhost", port, total_connections: 1 }]);
    await rig.get("/mgr/logout", { cookie: login }, { method: "POST" });
    const opening = { command: { name: "open_forward", sender: { user: "ann" }, target: `testhost:${port}` } };
    const end = {
      command: { name: "forward_ended", args: { reason: "the login or the manager has ended", received: expect.any(Number) } },
    };
    await expect.poll(() => forwards().observed).toMatchObject([opening, end]);
  });

  test("until the login ends, the role is lost, or an hour without use", async () => {
    const login = await rig.cookie();
    const ofAdmin = await opened(login);
    const ticket = await addressFor(login);
    await rig.get("/mgr/logout", { cookie: login }, { method: "POST" });
    expect((await send(name, ticket)).status).toBe(401);
    expect((await send(name, "/", { headers: { cookie: ofAdmin } })).status).toBe(401);

    forwards().allowed = new Map([["testhost", [{ first: port, last: port }]]]);
    const ofOperator = await opened(await rig.cookie(OPERATOR));
    forwards().allowed = new Map();
    forwards().service.reconfigure();
    expect((await send(name, "/", { headers: { cookie: ofOperator } })).status).toBe(401);

    vi.useFakeTimers({ toFake: ["performance"] });
    const idle = await opened();
    vi.advanceTimersByTime(3_599_000);
    expect((await send(name, "/", { headers: { cookie: idle } })).status).toBe(200);
    await expect.poll(() => forwards().service.list()[0]?.connections).toBe(0);
    vi.advanceTimersByTime(3_600_000);
    expect((await send(name, "/", { headers: { cookie: idle } })).status).toBe(401);
  });

  test("only by the page, for users who may forward it, where it has a name", async () => {
    const login = await rig.cookie();
    const page = `localhost:${rig.server.port}`;
    const path = `/mgr/forward/web?host=testhost&port=${port}`;
    expect((await send(page, path, { method: "POST", headers: { cookie: login, origin: `http://${name}` } })).status).toBe(403);
    expect((await send(page, path, { method: "POST" })).status).toBe(401);
    expect((await ask(await rig.cookie(OPERATOR))).status).toBe(403);
    expect((await ask(login, { host: "nowhere" })).status).toBe(404);
    expect((await ask(login, { of: 0 })).status).toBe(400);
    expect(JSON.parse((await ask(login, { page: "bench.lab" })).body).url).toContain(`http://${port}-testhost.mgr.example/`);
    expect(seen).toEqual([]);
  });
});

test("the page is told the end of the names, and which ports its user may open", async () => {
  forwards().allowed = new Map([["testhost", [{ first: 80, last: 90 }]]]);
  const asked = async (authorization: string, host: string) =>
    JSON.parse((await send(`127.0.0.1:${rig.server.port}`, `/mgr/forward/web?host=${host}`, { headers: { authorization } })).body);
  const local = `testhost.localhost:${rig.server.port}`;
  expect(await asked(GOOD, "bench")).toEqual({ name: local, reason: null, ports: [{ first: 1, last: 65_535 }] });
  expect(await asked(OPERATOR, "testhost")).toEqual({ name: local, reason: null, ports: [{ first: 80, last: 90 }] });
  expect(await asked(GOOD, "nowhere")).toEqual({ name: null, reason: "there is no host 'nowhere'", ports: [] });
});

test("a host name of a port serves nothing of the manager, and no other name serves a port", async () => {
  const login = await rig.cookie();
  const headers = { cookie: login, authorization: GOOD };
  for (const path of ["/", "/mgr/login", "/mgr/health", "/mgr/log", "/icon.svg"]) {
    expect(await send(name, path, { headers })).toMatchObject({
      status: 401,
      body: expect.stringContaining("This port is not open in this browser"),
    });
  }
  const ws = new WebSocket(`ws://127.0.0.1:${rig.server.port}/ws`, { headers: { ...headers, host: name, origin: `http://${name}` } });
  ws.on("error", () => {});
  const [request, response] = (await once(ws, "unexpected-response")) as [{ destroy(): void }, IncomingMessage];
  expect(response.statusCode).toBe(401);
  request.destroy();
  const grant = await opened(login);
  for (const host of ["evil.example", `${port}-testhost.evil.example`, `${port}-testhost.localhost.`, "x.localhost", "*.mgr.example"])
    expect([host, (await send(host, "/", { headers: { ...headers, cookie: `${login}; ${grant}` } })).status]).toEqual([host, 403]);
  for (const host of [`${port + 1}-testhost.localhost:${rig.server.port}`, `${port}-testhost.mgr.example`])
    expect([host, (await send(host, "/", { headers: { cookie: grant } })).status]).toEqual([host, 401]);
  expect((await send(`${port}-nowhere.localhost`, "/")).status).toBe(404);
  expect(await raw(rig.server.port, `GET http://evil.example/ HTTP/1.1\r\nHost: ${name}\r\nConnection: close\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 400 /,
  );
  expect(await raw(rig.server.port, `GET / HTTP/1.1\r\nHost: ${name}\r\nHost: ${name}\r\nConnection: close\r\n\r\n`)).toMatch(
    /^HTTP\/1\.1 4/,
  );
  expect(await raw(rig.server.port, `GET / HTTP/1.0\r\nHost: ${name}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 505 /);
  expect(seen).toEqual([]);
});
