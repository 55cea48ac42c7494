import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import type { Readable } from "node:stream";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type OpenedForward, openForward } from "../../../../src/features/forward/client/open-forward.ts";
import { MAX_FORWARD_CONNECTIONS } from "../../../../src/features/forward/forward-socket.ts";
import { PASSWORD, Rig, USER } from "../../../http/rig.ts";
import { accessOf } from "../../../support/access.ts";

const MIB = 1024 * 1024;
const ADMIN = { user: USER, password: PASSWORD };
const OPERATOR = { user: "bob", password: "secret" };

let rig: Rig;
/** A program on the host, and its connections. */
let program: Server;
let accepted: Socket[] = [];
let port: number;
let ending: AbortController;

beforeAll(async () => {
  rig = await Rig.start({ access: accessOf({ users: { [USER]: "admin", bob: "operator" } }) });
  program = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on("error", () => {});
    accepted.push(socket);
  }).listen(0, "127.0.0.1");
  await once(program, "listening");
  ({ port } = program.address() as AddressInfo);
});
afterEach(async () => {
  ending?.abort();
  while (forwards().service.list().length > 0) await new Promise((resolve) => setTimeout(resolve, 2));
  for (const socket of accepted) socket.destroy();
  accepted = [];
  Object.assign(forwards(), { allowed: new Map() });
  forwards().observed.length = 0;
});
afterAll(async () => {
  program.close();
  await rig[Symbol.asyncDispose]();
});

const forwards = () => rig.control.features.forward;

function open(login: { user: string; password: string } = ADMIN, target = { host: "localhost", port }): Promise<OpenedForward> {
  ending = new AbortController();
  return openForward(`http://${rig.host}`, login, target, ending.signal);
}

async function connected(forward: OpenedForward) {
  const arrives = once(program, "connection");
  const channel = await forward.connect();
  const [socket] = (await arrives) as [Socket];
  return { channel, socket };
}

/** Everything up to the end of this direction. */
async function all(stream: Readable): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) parts.push(part);
  return Buffer.concat(parts);
}

describe("a connection of a forward", () => {
  test("passes bytes both ways, and each direction ends by itself", async () => {
    const { channel, socket } = await connected(await open());
    const bytes = Buffer.from(Array.from({ length: 3 * MIB }, (_, index) => index % 251));
    const upload = all(socket);
    channel.end(bytes);
    expect((await upload).equals(bytes)).toBe(true);
    // The program answers after it has read everything, as many do.
    const download = all(channel);
    socket.end(bytes);
    expect((await download).equals(bytes)).toBe(true);
    await expect
      .poll(() => forwards().service.list())
      .toMatchObject([{ connections: 0, total_connections: 1, received: 3 * MIB, sent: 3 * MIB, problem: null }]);
  });

  test("is not read from its program while its client does not read", async () => {
    const { channel, socket } = await connected(await open());
    const chunk = Buffer.alloc(MIB);
    let written = 0;
    // Ends when the program has waited: the kernel's buffers and those of the manager are full.
    for (let idle = 0; idle < 20; ) {
      if (socket.writableLength < MIB) {
        socket.write(chunk);
        written += MIB;
        idle = 0;
      } else idle++;
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(written).toBeLessThan(64 * MIB);
    }
    expect(channel.readableLength).toBeLessThan(2 * MIB);
    socket.end();
    expect((await all(channel)).length).toBe(written);
  });

  test("is cut for its client with the reason when the link of the host is lost", async () => {
    const { channel, socket } = await connected(await open());
    const failed = once(channel, "error");
    const ended = once(socket.resume(), "end");
    forwards().streams.at(-1)?.destroy(new Error("host 'testhost' is lost"));
    expect(String(await failed)).toContain("host 'testhost' is lost");
    await ended;
    await expect.poll(() => forwards().service.list()).toMatchObject([{ connections: 0, problem: "host 'testhost' is lost" }]);
  });

  test("is closed for the program when its client disconnects", async () => {
    const { channel, socket } = await connected(await open());
    const ended = once(socket.resume(), "end");
    channel.destroy();
    await ended;
    await expect.poll(() => forwards().service.list()).toMatchObject([{ connections: 0, total_connections: 1 }]);
  });

  test("is refused with the reason when no program listens, on IPv4 and IPv6", async () => {
    const unused = createServer().listen(0, "127.0.0.1");
    await once(unused, "listening");
    const free = (unused.address() as AddressInfo).port;
    await new Promise((resolve) => unused.close(resolve));
    forwards().tried.length = 0;
    const forward = await open(ADMIN, { host: "bench", port: free });
    await expect(forward.connect()).rejects.toThrow(`no program listens at 127.0.0.1:${free}`);
    expect(forwards().tried).toEqual(["127.0.0.1", "::1"]);
  });

  test("is refused when the forward has as many as are allowed", async () => {
    const forward = await open();
    await Promise.all(Array.from({ length: MAX_FORWARD_CONNECTIONS }, () => forward.connect()));
    await expect(forward.connect()).rejects.toMatchObject({ code: "busy", message: expect.stringContaining("close some of them") });
  });

  test("needs the login of the user who opened the forward", async () => {
    const { id } = await open();
    await expect(forwards().service.connect(id, "bob")).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("a forward", () => {
  test("ends with its client, with its connections, and its bytes are recorded", async () => {
    const { channel, socket } = await connected(await open());
    channel.write("hello");
    await once(socket, "data");
    const ended = once(socket, "end");
    ending.abort();
    await ended;
    await expect
      .poll(() => forwards().observed.at(-1))
      .toMatchObject({
        command: {
          name: "forward_ended",
          sender: { user: USER },
          target: `testhost:${port}`,
          args: { connections: 1, sent: 5, received: 0, reason: "its client has disconnected" },
        },
        outcome: { ok: true },
      });
    expect(forwards().observed[0]).toMatchObject({ command: { name: "open_forward", target: `localhost:${port}` }, outcome: { ok: true } });
  });

  test("to a port that is not listed is refused for an operator, and recorded", async () => {
    await expect(open(OPERATOR)).rejects.toMatchObject({
      code: "forbidden",
      message: expect.stringContaining("the role admin on everything"),
    });
    expect(forwards().observed).toMatchObject([{ outcome: { ok: false, code: "forbidden" } }]);
    forwards().allowed = new Map([["bench", [{ first: port, last: port }]]]);
    await expect(open(OPERATOR)).resolves.toMatchObject({ host: "testhost" });
  });

  test("is closed with the reason when the configuration no longer allows its port", async () => {
    forwards().allowed = new Map([["localhost", [{ first: port, last: port }]]]);
    const forward = await open(OPERATOR);
    forwards().allowed = new Map();
    forwards().service.reconfigure();
    expect(await forward.ended).toEqual({ reason: "the configuration does not allow this port any more", isWanted: true });
  });

  test("of another user is closed by admins only", async () => {
    const forward = await open();
    const by = (user: string, role: "operator" | "admin") => ({ user, via: "cookie", address: "", grants: [{ role, on: null }] }) as const;
    expect(() => forwards().service.close(forward.id, by("bob", "operator"))).toThrow(/belongs to 'ann'/);
    forwards().service.close(forward.id, by("eve", "admin"));
    expect(await forward.ended).toEqual({ reason: "it was closed by 'eve'", isWanted: true });
  });

  test("whose manager ends is not closed on purpose, so that its command opens it again", async () => {
    const forward = await open();
    forwards().service.closeAll();
    expect(await forward.ended).toEqual({ reason: "the manager ends", isWanted: false });
  });

  test("of an unknown host or a wrong port is refused", async () => {
    await expect(open(ADMIN, { host: "nowhere", port })).rejects.toMatchObject({ code: "not_found" });
    await expect(open(ADMIN, { host: "localhost", port: 0 })).rejects.toMatchObject({ code: "bad_field" });
  });
});
