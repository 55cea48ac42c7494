import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import type { RequestBindings, Route } from "../../src/http/route.ts";
import { appOf } from "./access/app-rig.ts";
import { GOOD, Rig, readUntil, upgradeRequest } from "./rig.ts";

const bindings: RequestBindings = { remote: { ip: "127.0.0.1", port: 1, isSecure: false, localUser: null }, disconnect: () => {} };

/** Requests to some routes: no socket, no auth file. */
function requestsTo(routes: Route[], isClosing = false) {
  const { app, logged } = appOf({ routes, isClosing });
  const request = (path: string) => app.request(path, { headers: { host: "localhost" } }, bindings);
  return { request, logged };
}

describe("errors that are thrown are handled", () => {
  const secret = "/secret/path";
  test.each([
    [
      "at once",
      () => {
        throw new Error(secret);
      },
    ],
    ["later", () => Promise.reject(new Error(secret))],
  ])("in a route, %s: 500 without a stack, the log has it", async (_, handle) => {
    const { request, logged } = requestsTo([{ path: "/", method: "GET", isOpen: true, needs: null, handle }]);
    const response = await request("/");
    expect(response.status).toBe(500);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(await response.text()).toBe("Internal error. See the manager's log for details.\n");
    expect(logged).toEqual([expect.stringMatching(/^error: GET \/ failed: Error: \/secret\/path\n {4}at /)]);
  });

  test("in the manager, during an upgrade or a request", async () => {
    await using rig = await Rig.start();
    rig.control.process = () => {
      throw new Error(secret);
    };
    rig.control.log.entries = () => {
      throw new Error(secret);
    };
    const socket = connect(rig.server.port, "127.0.0.1");
    socket.write(upgradeRequest("/ws?single_process=x", rig.host, { Authorization: GOOD }));
    const answer = await readUntil(socket, (text) => text.endsWith("details.\n"));
    expect(answer).toMatch(/^HTTP\/1\.1 500 /);
    expect(answer).not.toContain(secret);
    const response = await rig.get("/mgr/log", { authorization: GOOD });
    expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining(secret)]);
    expect(rig.logged.filter((line) => line.includes(secret))).toHaveLength(2);
  });

  test("in the transport: that connection ends, the others continue", async () => {
    await using rig = await Rig.start();
    rig.transport.accept = () => {
      throw new Error(secret);
    };
    const socket = connect(rig.server.port, "127.0.0.1");
    socket.write(upgradeRequest("/ws", rig.host, { Authorization: GOOD }));
    await expect(readUntil(socket, () => false)).rejects.toThrow(/101 Switching/);
    expect(rig.logged.join()).toContain(secret);
    expect((await rig.get("/mgr/health")).status).toBe(200);
  });
});

test("every route answers 503 while the manager shuts down", async () => {
  const { request } = requestsTo([{ path: "/", method: "GET", isOpen: true, needs: null, handle: () => new Response("here") }], true);
  for (const path of ["/", "/nowhere"]) {
    const response = await request(path);
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "5"]);
  }
});

test("from the start of a shutdown, routes with effects and the health check answer 503, and other routes are served", async () => {
  await using rig = await Rig.start();
  rig.control.isShuttingDown = true;
  const authorization = GOOD;
  const statuses = await Promise.all([
    rig.get("/mgr/logout", { authorization }, { method: "POST" }),
    rig.get("/save-all", { authorization }),
    rig.get("/mgr/health"),
    rig.get("/", { authorization }),
    rig.get("/mgr/log", { authorization }),
    rig.get("/mgr/metrics", { authorization }),
  ]);
  expect(statuses.map(({ status }) => status)).toEqual([503, 503, 503, 200, 200, 200]);
  await Promise.all(statuses.map((response) => response.text()));
});
