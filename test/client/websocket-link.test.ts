import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { filter, firstValueFrom, take, toArray } from "rxjs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { webSocketUrl } from "../../src/client/link/connect-options.ts";
import type { ManagerLinkState } from "../../src/client/link/manager-link.ts";
import { type WebSocketLike, webSocketLink } from "../../src/client/link/websocket-link.ts";
import { ManagerClient } from "../../src/client/manager-client.ts";
import { connect } from "../../src/client/node.ts";

const closing: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A real server on loopback; `refuse` answers the upgrade as plain HTTP. */
async function serve(refuse?: (request: IncomingMessage, response: ServerResponse) => boolean) {
  const http = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  const upgrades: IncomingMessage[] = [];
  http.on("upgrade", (request, socket, head) => {
    upgrades.push(request);
    const text = refuse ? refusalOf(refuse, request) : null;
    if (text !== null) socket.end(text);
    else sockets.handleUpgrade(request, socket, head, (ws) => sockets.emit("connection", ws, request));
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  const close = () => {
    for (const ws of sockets.clients) ws.terminate();
    return new Promise<void>((resolve) => {
      http.close(() => resolve());
      http.closeAllConnections();
    });
  };
  closing.push(close);
  return { port, url: `http://127.0.0.1:${port}`, sockets, upgrades, close };
}

function refusalOf(refuse: (request: IncomingMessage, response: ServerResponse) => boolean, request: IncomingMessage): string | null {
  let text: string | null = null;
  const response = {
    end: (status: string, body: string) =>
      (text = `HTTP/1.1 ${status}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`),
  };
  return refuse(request, response as unknown as ServerResponse) ? text : null;
}

function link(port: number, retry?: { first: number; max: number } | false) {
  const made = webSocketLink({
    open: () => new WebSocket(`ws://127.0.0.1:${port}`, { perMessageDeflate: false }) as WebSocketLike,
    ...(retry === undefined ? {} : { retry }),
  });
  closing.push(() => made.close());
  return made;
}

type FakeSocket = WebSocketLike & { readonly sent: string[] };

/** An open socket whose events the test calls. */
function fakeSocket(): FakeSocket {
  const sent: string[] = [];
  return {
    readyState: 1,
    bufferedAmount: 0,
    sent,
    send: (text) => void sent.push(text),
    close() {},
    onopen: null,
    onmessage: null,
    onclose: null,
    onerror: null,
  };
}

const state = <K extends ManagerLinkState["kind"]>(made: ReturnType<typeof link>, kind: K) =>
  firstValueFrom(made.state$.pipe(filter((now): now is Extract<ManagerLinkState, { kind: K }> => now.kind === kind)));

describe("a link over a WebSocket", () => {
  it("connects at once on request instead of waiting for its next attempt", async () => {
    const server = await serve();
    const made = link(server.port, { first: 3_600_000, max: 3_600_000 });
    await state(made, "open");
    for (const socket of server.sockets.clients) socket.terminate();
    await state(made, "waiting");
    made.retryNow();
    expect(await state(made, "open")).toEqual({ kind: "open" });
  });

  it("carries frames both ways, in order", async () => {
    const { port, sockets } = await serve();
    sockets.on("connection", (ws) => {
      ws.on("message", (data) => {
        for (let n = 0; n < 100; n++) ws.send(JSON.stringify({ type: "echo", n, of: JSON.parse(String(data)) }));
      });
    });
    const made = link(port);
    expect(made.send({ type: "get_snapshot" })).toBe(false);
    await state(made, "open");
    const frames = firstValueFrom(made.frames$.pipe(take(100), toArray()));
    expect(made.send({ type: "get_snapshot" })).toBe(true);
    expect(await frames).toEqual(Array.from({ length: 100 }, (_, n) => ({ type: "echo", n, of: { type: "get_snapshot" } })));
  });

  it("reconnects after a loss, each time after twice the pause, up to the longest", async () => {
    const { port, sockets } = await serve();
    const states: ManagerLinkState[] = [];
    const made = link(port, { first: 5, max: 15 });
    made.state$.subscribe((now) => states.push(now));
    for (let round = 0; round < 4; round++) {
      await state(made, "open");
      for (const ws of sockets.clients) ws.terminate();
      await state(made, "waiting");
    }
    await state(made, "open");
    const pauses = states.flatMap((now) => (now.kind === "waiting" ? [now.retry_ms] : []));
    expect(pauses).toEqual([5, 10, 15, 15]);
    expect(states.filter((now) => now.kind === "connecting").map((now) => now.attempt)).toEqual([1, 2, 3, 4, 5]);
  });

  it("that lived for a while begins with the first pause again", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    closing.push(() => void vi.useRealTimers());
    const fakes: FakeSocket[] = [];
    const made = webSocketLink({
      open: () => {
        const fake = fakeSocket();
        fakes.push(fake);
        return fake;
      },
      retry: { first: 100, max: 10_000 },
    });
    const pauses: number[] = [];
    made.state$.subscribe((now) => now.kind === "waiting" && pauses.push(now.retry_ms));
    const lose = () => fakes.at(-1)?.onclose?.({ code: 1006, reason: "" });
    lose();
    await vi.advanceTimersByTimeAsync(100);
    lose();
    await vi.advanceTimersByTimeAsync(200);
    fakes.at(-1)?.onopen?.();
    await vi.advanceTimersByTimeAsync(2_000);
    lose();
    expect(pauses).toEqual([100, 200, 100]);
    made.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("pings a silent manager, and reconnects without an answer", async () => {
    vi.useFakeTimers();
    closing.push(() => void vi.useRealTimers());
    const fakes: FakeSocket[] = [];
    const made = webSocketLink({
      open: () => {
        const fake = fakeSocket();
        fakes.push(fake);
        return fake;
      },
      probe: { type: "get_snapshot" },
    });
    const [first] = fakes;
    first?.onopen?.();
    await vi.advanceTimersByTimeAsync(19_000);
    first?.onmessage?.({ data: '{"type":"ack"}' });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(first?.sent).toEqual([]);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(first?.sent).toHaveLength(1);
    first?.onmessage?.({ data: '{"type":"ack"}' });
    await vi.advanceTimersByTimeAsync(30_000);
    const reasons: string[] = [];
    made.state$.subscribe((now) => now.kind === "waiting" && reasons.push(now.reason));
    await vi.advanceTimersByTimeAsync(12_000);
    expect(first?.sent).toHaveLength(2);
    expect(reasons).toEqual(["the manager does not answer"]);
    expect(fakes).toHaveLength(2);
    made.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("without a second attempt is closed by the first failure, with the reason", async () => {
    const { port, close } = await serve();
    await close();
    const made = link(port, false);
    expect((await state(made, "closed")).reason).toContain("ECONNREFUSED");
  });

  it("that is closed while it is being dialled stays closed and opens nothing", async () => {
    const { port, sockets } = await serve();
    const made = link(port);
    made.close("changed my mind");
    expect(await state(made, "closed")).toEqual({ kind: "closed", reason: "changed my mind" });
    expect(made.send({ type: "get_snapshot" })).toBe(false);
    // One that is dialled later has come: the other one would have come before it.
    await state(link(port), "open");
    expect([...sockets.clients].filter((ws) => ws.readyState === WebSocket.OPEN)).toHaveLength(1);
  });

  it("that is closed while it waits makes no further attempt", async () => {
    const { port, close } = await serve();
    await close();
    const dialled: string[] = [];
    const open = (name: string) => {
      const made = webSocketLink({
        open: () => {
          dialled.push(name);
          return new WebSocket(`ws://127.0.0.1:${port}`) as WebSocketLike;
        },
        retry: { first: 20, max: 20 },
      });
      closing.push(() => made.close());
      return made;
    };
    const made = open("closed");
    await state(made, "waiting");
    made.close();
    // One that waits as long, from later on, has tried again twice.
    open("later");
    await vi.waitFor(() => expect(dialled.filter((name) => name === "later").length).toBeGreaterThan(2), { timeout: 60_000 });
    expect(dialled.filter((name) => name === "closed")).toHaveLength(1);
  });

  it("with something that is not a manager fails with a sentence", async () => {
    const { port, sockets } = await serve();
    sockets.on("connection", (ws) => ws.send("hello there"));
    expect((await state(link(port, false), "closed")).reason).toContain("does not speak the manager's protocol");
  });

  it("that was closed rejects later requests", async () => {
    const { port } = await serve();
    const made = link(port, false);
    made.close("done");
    await expect(new ManagerClient(made).opened()).rejects.toMatchObject({
      code: "host_unavailable",
      message: expect.stringContaining("done"),
    });
  });

  it("that cannot be dialled is closed with the reason", async () => {
    const made = webSocketLink({
      open: () => {
        throw new Error("no such address");
      },
      retry: false,
    });
    await expect(new ManagerClient(made).opened()).rejects.toMatchObject({ message: expect.stringContaining("no such address") });
  });

  it("reports the reason for which the manager closed it", async () => {
    const { port, sockets } = await serve();
    sockets.on("connection", (ws) => ws.close(1001, "the manager is shutting down"));
    expect((await state(link(port, false), "closed")).reason).toBe("the manager is shutting down");
  });
});

describe("connect", () => {
  const refusing = (status: string, body: string) =>
    serve((_request, response) => {
      (response as unknown as { end: (status: string, body: string) => void }).end(status, body);
      return true;
    });

  it.each([
    ["403 Forbidden", "no auth file", "forbidden"],
    ["404 Not Found", "there is no process 'x'", "not_found"],
    ["400 Bad Request", "two views", "bad_field"],
    ["429 Too Many Requests", "slow down", "busy"],
    ["503 Service Unavailable", "shutting down", "host_unavailable"],
  ])("refused with %s rejects with its text and a code", async (status, body, code) => {
    const { url } = await refusing(status, body);
    await expect(connect(url)).rejects.toMatchObject({ code, message: expect.stringContaining(`${status.slice(0, 3)}: ${body}`) });
  });

  it("reports that a login is refused", async () => {
    const { url } = await refusing("401 Unauthorized", "log in");
    await expect(connect(url)).rejects.toMatchObject({ code: "forbidden", message: "login refused (401): log in" });
  });

  it("retries after a temporary refusal, and not after another", async () => {
    let refusals = 2;
    const { url, upgrades } = await serve((_request, response) => {
      (response as unknown as { end: (status: string, body: string) => void }).end("503 Service Unavailable", "soon");
      return refusals-- > 0;
    });
    const client = await connect(url, { retry: { first: 5, max: 5 } });
    client.close();
    expect(upgrades).toHaveLength(3);
    const denied = await refusing("401 Unauthorized", "log in");
    await expect(connect(denied.url, { retry: { first: 5, max: 5 } })).rejects.toMatchObject({ code: "forbidden" });
    expect(denied.upgrades).toHaveLength(1);
  });

  it("sends the credentials that it is given, and the view", async () => {
    const { url, upgrades } = await serve();
    for (const options of [
      { user: "ada", password: "pässword:with colon" },
      { cookie: "c", view: { single_process: "g/a b&c" } },
      { view: { log_only: true as const } },
    ]) {
      (await connect(`${url}/page?x=1`, options)).close();
    }
    expect(upgrades.map(({ headers, url: path }) => [headers.authorization ?? headers.cookie, path])).toEqual([
      [`Basic ${Buffer.from("ada:pässword:with colon").toString("base64")}`, "/ws"],
      ["mgr_web_session=c", "/ws?single_process=g%2Fa+b%26c"],
      [undefined, "/ws?log_only=1"],
    ]);
  });

  it("takes http, https, ws and wss addresses", () => {
    expect(webSocketUrl("https://h:1/x?y", undefined).href).toBe("wss://h:1/ws");
    expect(webSocketUrl("http://h", undefined).href).toBe("ws://h/ws");
    expect(webSocketUrl("wss://h", undefined).href).toBe("wss://h/ws");
    expect(() => webSocketUrl("no address", undefined)).toThrow();
  });
});
