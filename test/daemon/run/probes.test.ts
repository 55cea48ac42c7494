import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Probe, RunReport } from "../../../src/contract/run.ts";
import { isAlive, startTimeOf } from "../../../src/daemon/proc/proc.ts";
import { ShiftedClock } from "../../support/fakes/shifted-clock.ts";
import { freePort } from "../../support/free-port.ts";
import { HostRig, reportedBy, spec } from "../support/hosts.ts";

const pace = { interval_ms: 20, timeout_ms: 60_000 };
const tcp = (port: number): Probe => ({ kind: "tcp", host: "127.0.0.1", port, ...pace });
const http = (port: number, changes: Partial<Extract<Probe, { kind: "http" }>> = {}): Probe => ({
  kind: "http",
  url: `http://127.0.0.1:${port}/health`,
  status: null,
  headers: {},
  ...pace,
  ...changes,
});
const exec = (line: string, changes: Partial<typeof pace> = {}): Probe => ({
  kind: "exec",
  program: { kind: "shell", line },
  ...pace,
  ...changes,
});

async function listening(server: Server, port = 0): Promise<Server & AsyncDisposable & { port: number }> {
  await new Promise<void>((resolve, reject) => void server.once("error", reject).listen(port, "127.0.0.1", resolve));
  return Object.assign(server, {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  });
}
const kinds = (rig: HostRig, run: RunReport) => rig.events.filter((event) => event.run.run_id === run.run_id).flatMap(reportedBy);

describe("a ready condition", () => {
  test("tcp holds once a connection is accepted, and not before", async () => {
    await using rig = await HostRig.open();
    const port = freePort();
    const run = await rig.spawn(spec("p", "sleep 60", { ready: tcp(port) }));
    // A second one, whose probe has been refused several times, says that the first one's has been too.
    let tries = 0;
    await using counter = await listening(createServer((socket) => socket.end(() => tries++)));
    const other = await rig.spawn(spec("q", "sleep 60", { ready: tcp(counter.port) }));
    await rig.event(other, "ready");
    expect(kinds(rig, run)).toEqual(["spawned"]);
    await using _server = await listening(
      createServer((socket) => socket.end()),
      port,
    );
    expect((await rig.event(run, "ready")).run.ready).toBe(true);
    expect(tries).toBeLessThan(3);
  });

  test("http holds with the configured status, path and headers", async () => {
    await using rig = await HostRig.open();
    const seen: string[] = [];
    let status = 503;
    await using server = await listening(
      createHttpServer((request, response) => {
        seen.push(`${request.method} ${request.url} ${request.headers.authorization}`);
        response.writeHead(status).end();
        if (seen.length === 3) status = 204;
      }),
    );
    const run = await rig.spawn(spec("p", "sleep 60", { ready: http(server.port, { headers: { authorization: "Bearer x" } }) }));
    await rig.event(run, "ready");
    expect(seen.slice(0, 4)).toEqual(Array(4).fill("GET /health Bearer x"));
    const teapot = await rig.spawn(spec("q", "sleep 60", { ready: http(server.port, { status: 418 }) }));
    status = 418;
    await rig.event(teapot, "ready");
    expect(seen.length).toBeLessThan(12);
  });

  test("exec runs in the process's folder and environment and holds when it ends with code 0", async () => {
    await using rig = await HostRig.open();
    const run = await rig.spawn(
      spec("p", "trap 'exit 7' USR1; while :; do sleep 0.01; done", {
        cwd: "/usr",
        environment: { MODE: "fast" },
        // Not before it catches SIGUSR1 (bit 9 of the mask).
        ready: exec(
          `[ "$PWD" = /usr ] && [ "$MODE" = fast ] && grep -q '^SigCgt:.*[2367abef]..$' "/proc/$MGR_PID/status" && kill -USR1 "$MGR_PID"`,
        ),
      }),
    );
    expect((await rig.event(run, "exited")).run.exit).toMatchObject({ code: 7 });
  });

  test("a probe that hangs is cancelled in time and repeated; no process of it is left", async () => {
    await using rig = await HostRig.open();
    const folder = await mkdtemp(join(tmpdir(), "mgr-probe-"));
    try {
      const run = await rig.spawn(
        spec("p", "sleep 60", {
          cwd: folder,
          ready: exec('n=$(cat pids 2>/dev/null | wc -l); echo $$ >> pids; [ "$n" -ge 2 ] || sleep 60', { timeout_ms: 1_000 }),
        }),
      );
      await rig.event(run, "ready");
      const pids = (await readFile(join(folder, "pids"), "utf8")).trim().split("\n").map(Number);
      expect(pids.length).toBeGreaterThanOrEqual(3);
      const hanging = () => pids.slice(0, -1).filter((pid) => isAlive(pid, startTimeOf(pid) ?? ""));
      await expect.poll(hanging).toEqual([]);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  test("cannot be met once the run has ended: a probe that succeeds late does not make a dead run ready", async () => {
    await using rig = await HostRig.open();
    await using server = await listening(createServer((socket) => socket.end()));
    const rounds = Array.from({ length: 12 }, async (_, round) => {
      const run = await rig.spawn(spec(`p${round}`, `sleep 0.0${round % 5}`, { ready: tcp(server.port) }));
      await rig.event(run, "extinct");
      expect([
        ["spawned", "exited", "extinct"],
        ["spawned", "ready", "exited", "extinct"],
      ]).toContainEqual(kinds(rig, run));
    });
    await Promise.all(rounds);
  });

  test.each([false, true])("an exec probe that still runs when its run ends is killed with its tree (subreaper: %s)", async (subreaper) => {
    await using rig = await HostRig.open({ subreaper });
    const run = await rig.spawn(
      spec("p", "trap 'exit 0' USR1; while :; do sleep 0.01; done", {
        cwd: "/tmp",
        ready: exec(
          'setsid sh -c "echo \\$\\$ > mgr-orphan-$MGR_PID; exec sleep 60" & until [ -s "mgr-orphan-$MGR_PID" ]; do sleep 0.01; done; kill -USR1 "$MGR_PID"; sleep 60',
        ),
      }),
    );
    await rig.event(run, "extinct");
    const orphan = Number(await readFile(`/tmp/mgr-orphan-${run.pid}`, "utf8"));
    await rm(`/tmp/mgr-orphan-${run.pid}`);
    expect(isAlive(orphan, startTimeOf(orphan) ?? "")).toBe(false);
  });
});

describe("liveness", () => {
  test("fails after the configured number of consecutive failures, once, with the reason", async () => {
    await using rig = await HostRig.open();
    let answers = [200, 500, 200, 500, 500, 500, 500];
    await using server = await listening(createHttpServer((_, response) => response.writeHead(answers.shift() ?? 500).end()));
    const run = await rig.spawn(spec("p", "sleep 60", { alive: { probe: http(server.port), failures: 3 } }));
    const { run: report } = await rig.event(run, "unhealthy");
    expect(report.unhealthy).toBe(`not alive: http http://127.0.0.1:${server.port}/health failed 3 times in a row: answered 500`);
    expect(answers).toEqual([500]);
    answers = [];
    expect((await rig.host.request("report", { session: rig.session, after: null })).runs[0]?.unhealthy).toBe(report.unhealthy);
  });

  test("begins with readiness, not before", async () => {
    await using rig = await HostRig.open();
    const port = freePort();
    const run = await rig.spawn(
      spec("p", "sleep 0.2; echo up; sleep 60", { ready: { kind: "regex", pattern: "up" }, alive: { probe: tcp(port), failures: 1 } }),
    );
    await rig.event(run, "unhealthy");
    expect(kinds(rig, run)).toEqual(["spawned", "ready", "unhealthy"]);
    expect(rig.events.at(-1)?.run.unhealthy).toMatch(/^not alive: tcp 127\.0\.0\.1:\d+ failed: .*ECONNREFUSED/);
  });

  test("of a run that is being stopped is ignored", async () => {
    const clock = new ShiftedClock();
    await using rig = await HostRig.open({ clock, isDirect: true });
    const port = freePort();
    const run = await rig.spawn(
      spec("p", "trap 'sleep 0.3; exit 0' TERM; echo up; while :; do sleep 0.01; done", {
        alive: { probe: { ...tcp(port), interval_ms: 60_000 }, failures: 1 },
      }),
    );
    rig.watch("p");
    await rig.said("p", /up/);
    await rig.host.request("stop", { session: rig.session, run_id: run.run_id, steps: [{ signal: "SIGTERM", timeout_ms: 600_000 }] });
    clock.pass(60_000);
    await rig.event(run, "extinct");
    expect(kinds(rig, run)).toEqual(["spawned", "stopping", "exited", "extinct"]);
  });
});
