import { once } from "node:events";
import type { Duplex } from "node:stream";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { type GuiOptions, type RegisteredGui, registerGui, type XClientOf } from "../../../../src/features/displays/client/register-gui.ts";
import { basic, GOOD, PASSWORD, Rig, USER } from "../../../http/rig.ts";

const MIB = 1024 * 1024;
const CLIENT: XClientOf = { process: "sim/eyes", host: "testhost" };
const BOB = { user: "bob", password: "secret" };

let rig: Rig;
beforeAll(async () => {
  rig = await Rig.start();
});
afterAll(() => rig[Symbol.asyncDispose]());

type State = Parameters<GuiOptions["onState"]>[0];

/** A `mgr gui` without an X server: its test is the X server. */
class Desktop {
  readonly states: State[] = [];
  readonly problems: string[] = [];
  readonly #streams: { client: XClientOf; stream: Duplex }[] = [];
  readonly #end = new AbortController();
  #wake = () => {};
  gui: RegisteredGui | null = null;

  static async connect(login: { user: string; password: string } = { user: USER, password: PASSWORD }): Promise<Desktop> {
    const desktop = new Desktop();
    opened.push(desktop);
    const options: GuiOptions = {
      display: ":7",
      onState: (state) => {
        desktop.states.push(state);
        desktop.#wake();
      },
      onXClient: (client, stream) => {
        stream.on("error", () => {});
        desktop.#streams.push({ client, stream });
        desktop.#wake();
      },
      onProblem: (_client, reason) => desktop.problems.push(reason),
    };
    desktop.gui = await registerGui(`http://${rig.host}`, login, options, desktop.#end.signal);
    return desktop;
  }

  async next(): Promise<{ client: XClientOf; stream: Duplex }> {
    await this.#until(() => this.#streams.length > 0);
    return this.#streams.shift() as { client: XClientOf; stream: Duplex };
  }

  async whenNotified(count: number): Promise<State[]> {
    await this.#until(() => this.states.length >= count);
    return this.states;
  }

  /** Ends as the process of `mgr gui` does. */
  async end(): Promise<void> {
    this.#end.abort();
    await this.gui?.ended;
  }

  async #until(holds: () => boolean): Promise<void> {
    while (!holds())
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
  }
}

const opened: Desktop[] = [];
afterEach(async () => {
  for (const desktop of opened.splice(0)) await desktop.end();
  await gone(USER);
  await gone("bob");
});

/** The manager has seen the end of all connections of the user. */
async function gone(user: string): Promise<void> {
  while (rig.control.features.displays.guis.desktopOf(user) !== null) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Both ends of an X connection. */
async function connected(desktop: Desktop, user = USER) {
  const [stream, end] = await Promise.all([rig.control.features.displays.guis.connect(user, CLIENT), desktop.next()]);
  return { stream, end };
}

async function read(stream: Duplex, length: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    parts.push(part);
    size += part.length;
    if (size >= length) break;
  }
  return Buffer.concat(parts);
}

describe("a registered desktop", () => {
  test("receives its user, and its address is in the fields of processes", async () => {
    const desktop = await Desktop.connect();
    expect(desktop.states).toMatchObject([{ username: USER, is_current: true }]);
    expect(rig.control.features.displays.guis.desktopOf(USER)).toMatchObject({
      display: ":7",
      peer: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
    });
    expect(rig.control.features.displays.guis.desktopOf(USER)?.peer).toBe(desktop.states[0]?.current_peer);
  });

  test("gets X connections of its user with their process and host, and bytes pass both ways", async () => {
    const desktop = await Desktop.connect();
    const { stream, end } = await connected(desktop);
    expect(end.client).toMatchObject(CLIENT);
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
    stream.write(bytes);
    expect((await read(end.stream, bytes.length)).equals(bytes)).toBe(true);
    end.stream.write(bytes);
    expect((await read(stream, bytes.length)).equals(bytes)).toBe(true);
    expect(desktop.problems).toEqual([]);
  });

  test("an X client that sends and disconnects at once loses nothing", async () => {
    const { stream, end } = await connected(await Desktop.connect());
    stream.on("error", () => {});
    stream.end(Buffer.alloc(1 * MIB));
    expect((await read(end.stream, 2 * MIB)).length).toBe(1 * MIB);
    end.stream.end();
    await once(stream.resume(), "close");
  });

  test("the end of the X server closes the connection at the manager", async () => {
    const { stream, end } = await connected(await Desktop.connect());
    end.stream.end();
    const [closed] = await Promise.all([once(stream.resume(), "end").then(() => stream.end()), once(end.stream.resume(), "close")]);
    expect(closed).toBe(stream);
  });

  test("of several desktops of a user the one that was connected last gets new windows", async () => {
    const first = await Desktop.connect();
    const second = await Desktop.connect();
    expect((await first.whenNotified(2)).at(-1)).toMatchObject({ is_current: false, current_peer: second.states[0]?.current_peer });
    const { end } = await connected(second);
    expect(end.client).toMatchObject(CLIENT);
    await second.end();
    expect((await first.whenNotified(3)).at(-1)).toMatchObject({ is_current: true });
    expect((await connected(first)).end.client).toMatchObject(CLIENT);
  });

  test("that is lost closes its X connections, and later ones are refused", async () => {
    const desktop = await Desktop.connect();
    const { stream } = await connected(desktop);
    stream.on("error", () => {});
    const closed = once(stream, "close");
    await desktop.end();
    await closed;
    await gone(USER);
    await expect(rig.control.features.displays.guis.connect(USER, CLIENT)).rejects.toThrow(
      `no X display of '${USER}' is connected: run 'mgr gui'`,
    );
    expect(rig.control.features.displays.guis.desktopOf(USER)).toBeNull();
  });

  test("ends with the session of its user", async () => {
    const cookie = await rig.cookie();
    const ws = new WebSocket(`ws://${rig.host}/mgr/gui/ws`, { headers: { cookie } });
    await once(ws, "open");
    const closed = once(ws, "close");
    await rig.get("/mgr/logout", { cookie }, { method: "POST" });
    expect((await closed)[0]).toBe(1_008);
  });

  test("is refused as the seventeenth of its user", async () => {
    for (let count = 0; count < 16; count++) await Desktop.connect();
    await expect(Desktop.connect()).rejects.toMatchObject({ code: "busy", message: expect.stringMatching(/has 16 connected 'mgr gui'/) });
  });

  test("that sends anything is disconnected", async () => {
    const ws = new WebSocket(`ws://${rig.host}/mgr/gui/ws`, { headers: { authorization: GOOD } });
    await once(ws, "open");
    ws.send("hello");
    expect((await once(ws, "close"))[0]).toBe(1_003);
  });
});

describe("/mgr/gui/ws", () => {
  async function refusal(query: string, headers: Record<string, string>): Promise<number> {
    const ws = new WebSocket(`ws://${rig.host}/mgr/gui/ws${query}`, { headers });
    ws.on("error", () => {});
    const [request, response] = (await once(ws, "unexpected-response")) as [{ destroy(): void }, { statusCode: number }];
    request.destroy();
    return response.statusCode;
  }

  test("refuses wrong logins, pages of other sites, and X connections that were not requested", async () => {
    expect(await refusal("", {})).toBe(401);
    expect(await refusal("", { authorization: GOOD, "sec-fetch-site": "cross-site" })).toBe(403);
    expect(await refusal("", { authorization: GOOD, origin: "http://evil.example" })).toBe(403);
    expect(await refusal("?connection=0123", { authorization: GOOD })).toBe(404);
    await expect(Desktop.connect({ user: USER, password: "wrong" })).rejects.toMatchObject({ code: "forbidden" });
  });

  test("does not give an X connection to another user", async () => {
    const ws = new WebSocket(`ws://${rig.host}/mgr/gui/ws`, { headers: { authorization: GOOD } });
    const frames: string[] = [];
    ws.on("message", (data) => frames.push(String(data)));
    await once(ws, "message");
    const opening = rig.control.features.displays.guis.connect(USER, CLIENT);
    opening.catch(() => {});
    while (frames.length < 2) await once(ws, "message");
    const { type, connection } = JSON.parse(frames[1] ?? "");
    expect(type).toBe("open_x_connection");
    expect(await refusal(`?connection=${connection}`, { authorization: basic(BOB.user, BOB.password) })).toBe(404);
    ws.terminate();
    await expect(opening).rejects.toThrow("the connection to 'mgr gui' was lost");
  });
});

test("a desktop that reads nothing stops the X client, at a bounded cost", async () => {
  const { stream, end } = await connected(await Desktop.connect());
  stream.on("error", () => {});
  const piece = Buffer.alloc(64 * 1024);
  let sent = 0;
  const more = () => {
    if (sent >= 1_024 || stream.destroyed) return;
    stream.write(piece, () => {
      sent++;
      more();
    });
  };
  more();
  // What the kernel and both ends hold is less than these 64 MiB.
  for (let last = -1, same = 0; same < 20; same = sent === last ? same + 1 : 0, last = sent)
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect(sent).toBeLessThan(1_024);
  expect(stream.writableLength + end.stream.readableLength).toBeLessThan(1 * MIB);
  let received = 0;
  await new Promise<void>((resolve) =>
    end.stream.on("data", (part: Buffer) => {
      received += part.length;
      if (received === 1_024 * piece.length) resolve();
    }),
  );
});
