import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { formatLogLine } from "../../src/http/log/log-stream.ts";
import type { LogLevel } from "../../src/protocol/resources/resources.ts";
import { GOOD, Rig, readUntil } from "./rig.ts";

function note(rig: Rig, msg: string, level: LogLevel = "info"): void {
  rig.control.log.append({ level, source: "manager", msg });
}

async function log(rig: Rig, query: string): Promise<string[]> {
  const response = await rig.get(`/mgr/log${query}`, { authorization: GOOD });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  return (await response.text()).split("\n").slice(0, -1);
}

function follow(rig: Rig, query: string): Socket {
  const socket = connect(rig.server.port, "127.0.0.1");
  socket.write(`GET /mgr/log?${query} HTTP/1.1\r\nHost: ${rig.host}\r\nAuthorization: ${GOOD}\r\n\r\n`);
  return socket;
}

describe("/mgr/log", () => {
  test("has one line an entry: time, level, source, message", async () => {
    await using rig = await Rig.start();
    note(rig, "hello");
    expect(await log(rig, "?raw")).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3} info manager: hello$/)]);
  });

  test("level is the lowest one shown, debug by default; limit takes the last N that match", async () => {
    await using rig = await Rig.start();
    for (const level of ["debug", "info", "warning", "error", "info"] as const) note(rig, level, level);
    const messages = async (query: string) => (await log(rig, query)).map((line) => line.split(": ")[1]);
    expect(await messages("")).toEqual(["debug", "info", "warning", "error", "info"]);
    expect(await messages("?raw&level=warning")).toEqual(["warning", "error"]);
    expect(await messages("?raw&level=info&limit=3")).toEqual(["warning", "error", "info"]);
    expect(await messages("?limit=99999999999999999999")).toHaveLength(5);
    expect(await messages("?raw=0&follow=0&unknown=x")).toHaveLength(5);
    expect(await messages("?follow=false")).toHaveLength(5);
  });

  test.each(["level=loud", "level=", "level=INFO", "limit=0", "limit=-1", "limit=1.5", "limit=x", "limit=", "limit=1e3"])(
    "%s is a bad request",
    async (query) => {
      await using rig = await Rig.start();
      const response = await rig.get(`/mgr/log?raw&${query}`, { authorization: GOOD });
      expect(response.status).toBe(400);
      expect(await response.text()).toContain(query.split("=")[0]);
    },
  );

  test("no message can forge a line or control a terminal", () => {
    const line = formatLogLine({
      id: 1,
      ts: "2026-11-21T08:00:00.000",
      level: "info",
      source: "a\nb",
      msg: "x\r\n\x1b[31m\x07\t\x7f\u009b\u2028\u202eé🙂\\",
    });
    expect(line).toBe("2026-11-21T08:00:00.000 info a\\nb: x\\r\\n\\x1b[31m\\x07\\t\\x7f\\x9b\\u2028\\u202eé🙂\\\n");
  });

  test("10,000 entries come whole and in order", async () => {
    await using rig = await Rig.start();
    for (let index = 0; index < 1_000; index++) note(rig, `${index} ${"x".repeat(1_000)}`);
    const lines = await log(rig, "?raw");
    expect(lines.map((line) => Number(line.split(" ")[3]))).toEqual(Array.from({ length: 1_000 }, (_, index) => index));
  });
});

describe("/mgr/log?follow", () => {
  test("sends the last N, then each matching entry as a chunk of its own, at once", async () => {
    await using rig = await Rig.start();
    note(rig, "first");
    note(rig, "second");
    const socket = follow(rig, "raw&follow&limit=1&level=info");
    const head = await readUntil(socket, (text) => text.includes("second\n\r\n"));
    expect(head).toMatch(/^Transfer-Encoding: chunked\r$/im);
    expect(head).not.toContain("first");
    for (const msg of ["third", "fourth"]) {
      note(rig, "unheard", "debug");
      note(rig, msg);
      const chunk = await readUntil(socket, (text) => text.endsWith(`${msg}\n\r\n`));
      const size = Number.parseInt(chunk, 16);
      expect(chunk).toHaveLength(chunk.indexOf("\r\n") + 2 + size + 2);
    }
    socket.destroy();
  });

  test("answers at once even if there is no entry yet", async () => {
    await using rig = await Rig.start();
    const socket = follow(rig, "raw&follow");
    expect(await readUntil(socket, (text) => text.includes("\r\n\r\n"))).toContain("200 OK");
    socket.destroy();
  });

  test("stops when the client disconnects, and HEAD never begins", async () => {
    await using rig = await Rig.start();
    let followers = 0;
    const subscribe = rig.control.log.subscribe.bind(rig.control.log);
    let left = () => {};
    const allLeft = new Promise<void>((resolve) => {
      left = resolve;
    });
    rig.control.log.subscribe = (listener) => {
      followers++;
      const unsubscribe = subscribe(listener);
      return () => {
        unsubscribe();
        if (--followers === 0) left();
      };
    };
    await rig.get("/mgr/log?follow", { authorization: GOOD }, { method: "HEAD" });
    expect(followers).toBe(0);
    const sockets = [follow(rig, "follow"), follow(rig, "follow")];
    for (const socket of sockets) await readUntil(socket, (text) => text.includes("\r\n\r\n"));
    expect(followers).toBe(2);
    for (const socket of sockets) socket.destroy();
    await allLeft;
  });

  test("a reader that stops reading is disconnected, and does not delay the others", async () => {
    await using rig = await Rig.start();
    const [stuck, reading] = [follow(rig, "follow"), follow(rig, "follow")];
    for (const socket of [stuck, reading]) await readUntil(socket, (text) => text.includes("\r\n\r\n"));
    let received = 0;
    reading.on("data", (chunk: Buffer) => {
      received += chunk.length;
    });
    reading.resume();
    let sent = 0;
    // More than fits into the kernel's buffers at both ends and the bound of 1 MiB behind them; the reader keeps up.
    while (sent < 24 * 1024 * 1024) {
      note(rig, "x".repeat(128 * 1024));
      sent += 128 * 1024;
      while (received < sent) await once(reading, "data");
    }
    let got = 0;
    stuck.on("data", (chunk: Buffer) => {
      got += chunk.length;
    });
    stuck.on("error", () => {}).resume();
    await once(stuck, "close");
    expect(got).toBeLessThan(sent);
    expect(reading.destroyed).toBe(false);
    reading.destroy();
  });
});
