import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { Duplex, PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { proxyVnc } from "../../../../src/features/displays/manager/vnc-proxy.ts";
import { conforms } from "../../../contract/check.ts";
import { basic, GOOD, Rig, USER } from "../../../http/rig.ts";

const MIB = 1024 * 1024;

let rig: Rig;
beforeAll(async () => {
  rig = await Rig.start();
});
afterAll(() => rig[Symbol.asyncDispose]());

/** A VNC server that sends as much as is read, and reads what it is told to. */
class Endless extends Duplex {
  produced = 0;
  takes = true;
  override _read(): void {
    const chunk = Buffer.alloc(64 * 1024);
    this.produced += chunk.length;
    this.push(chunk);
  }
  override _write(_chunk: Buffer, _encoding: string, done: () => void): void {
    if (this.takes) done();
  }
}

describe("/mgr/vnc/info", () => {
  test("returns the address of the user's private display, as the table says", async () => {
    const response = await rig.get("/mgr/vnc/info", { authorization: GOOD });
    expect(response.status).toBe(200);
    const answer = (await response.json()) as Record<string, unknown>;
    expect(conforms("private VNC info", answer)).toEqual([]);
    expect(answer).toMatchObject({ ok: true, username: USER, webui_asset_hash: expect.stringMatching(/./) });
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  test("of an unknown session is 404 with a message", async () => {
    const response = await rig.get("/mgr/vnc/info?session=none", { authorization: GOOD });
    const answer = await response.json();
    expect([response.status, conforms("failed VNC info", answer)]).toEqual([404, []]);
    expect(answer).toMatchObject({ ok: false, kind: "configured", message: "there is no VNC session 'none'." });
  });

  test("HEAD starts nothing", async () => {
    const info = vi.spyOn(rig.control.features.displays, "info");
    expect((await rig.get("/mgr/vnc/info", { authorization: GOOD }, { method: "HEAD" })).status).toBe(200);
    expect(info).not.toHaveBeenCalled();
    info.mockRestore();
  });

  test("is refused for pages of other sites", async () => {
    expect((await rig.get("/mgr/vnc/info", { authorization: GOOD, "sec-fetch-site": "same-site" })).status).toBe(403);
  });
});

describe("/mgr/vnc/ws", () => {
  const open = (query = "", authorization = GOOD) =>
    new WebSocket(`ws://${rig.host}/mgr/vnc/ws${query}`, { headers: { authorization }, perMessageDeflate: false });

  test("passes bytes both ways, to the display of its own user", async () => {
    const echo = new PassThrough();
    rig.control.features.displays.nextStream = echo;
    const ws = open("?user=someone&session=", basic("bob", "secret"));
    await once(ws, "open");
    expect(rig.control.features.displays.opened.at(-1)?.user).toBe("bob");
    const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, index) => index % 251));
    ws.send(bytes);
    const received: Buffer[] = [];
    await new Promise<void>((resolve) =>
      ws.on("message", (data: Buffer) => {
        received.push(data);
        if (Buffer.concat(received).length === bytes.length) resolve();
      }),
    );
    expect(Buffer.concat(received).equals(bytes)).toBe(true);
    ws.close();
    await once(echo, "close");
  });

  test("of an unknown session is refused with 404 before the upgrade", async () => {
    const ws = open("?session=none");
    ws.on("error", () => {});
    const [, response] = (await once(ws, "unexpected-response")) as [unknown, { statusCode: number }];
    expect(response.statusCode).toBe(404);
  });

  test("is closed when the VNC server ends", async () => {
    const server = new PassThrough();
    rig.control.features.displays.nextStream = server;
    const ws = open();
    await once(ws, "open");
    server.end();
    server.resume();
    expect((await once(ws, "close"))[0]).toBe(1_000);
  });

  test("is closed when the session of its user ends", async () => {
    rig.control.features.displays.nextStream = new PassThrough();
    const cookie = await rig.cookie();
    const ws = new WebSocket(`ws://${rig.host}/mgr/vnc/ws`, { headers: { cookie } });
    await once(ws, "open");
    const closed = once(ws, "close");
    await rig.get("/mgr/logout", { cookie }, { method: "POST" });
    expect((await closed)[0]).toBe(1_008);
  });
});

describe("a stalled end", () => {
  /** A viewer, and the manager's end of its connection. */
  async function pair(server: Duplex) {
    const listener = new WebSocketServer({ port: 0, host: "127.0.0.1", perMessageDeflate: false });
    await once(listener, "listening");
    const viewer = new WebSocket(`ws://127.0.0.1:${(listener.address() as AddressInfo).port}`);
    const [[own]] = (await Promise.all([once(listener, "connection"), once(viewer, "open")])) as unknown as [[WebSocket]];
    proxyVnc(own, server);
    return {
      own,
      viewer,
      async close() {
        const closed = once(own, "close");
        viewer.terminate();
        // A paused socket does not see the end of its peer.
        own.terminate();
        await closed;
        listener.close();
        await once(listener, "close");
      },
    };
  }

  /** Resolves when `count` stays the same over many turns of the event loop. */
  async function settled(count: () => number): Promise<number> {
    for (let same = 0, last = -1; ; ) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      same = count() === last ? same + 1 : 0;
      last = count();
      if (same === 20) return last;
    }
  }

  test("a viewer that reads nothing costs less than 8 MiB, and receives everything later", async () => {
    const server = new Endless();
    const { own, viewer, close } = await pair(server);
    viewer.pause();
    let most = 0;
    const produced = await settled(() => {
      most = Math.max(most, own.bufferedAmount + server.readableLength);
      return server.produced;
    });
    expect(most).toBeLessThan(1 * MIB);
    viewer.resume();
    let received = 0;
    await new Promise<void>((resolve) =>
      viewer.on("message", (data: Buffer) => {
        received += data.length;
        if (received > produced + 4 * MIB) resolve();
      }),
    );
    await close();
    expect(server.destroyed).toBe(true);
  });

  test("a VNC server that reads nothing makes the viewer wait", async () => {
    const server = new Endless();
    server.takes = false;
    server.pause();
    const { viewer, close } = await pair(server);
    const piece = Buffer.alloc(256 * 1024);
    let sent = 0;
    const more = () => {
      if (sent >= 128 || viewer.readyState !== viewer.OPEN) return;
      viewer.send(piece, () => {
        sent++;
        more();
      });
    };
    more();
    // What the kernel holds for both sockets is less than 32 MiB.
    expect(await settled(() => sent)).toBeLessThan(128);
    expect(server.writableLength).toBeLessThan(2 * MIB);
    await close();
  });
});
