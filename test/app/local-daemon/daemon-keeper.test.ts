import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { DomainEvent } from "../../../src/actors/domain-events.ts";
import type { Engine } from "../../../src/app/engine.ts";
import { DaemonKeeper } from "../../../src/app/local-daemon/daemon-keeper.ts";
import { LocalDaemon } from "../../../src/app/local-daemon/local-daemon.ts";
import { Publisher } from "../../../src/base/publisher.ts";
import { LogBook } from "../../../src/log/log-book.ts";
import { bundled } from "../../support/bundled.ts";

const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;

it("a shutdown cancels the pause before a daemon that died is started again", async () => {
  const folder = await mkdtemp(join(tmpdir(), "mgr-keeper-"));
  const stateDir = join(folder, "state");
  const holder = spawn(process.execPath, [await bundled("test/fixtures/hold-lock.ts"), join(stateDir, "daemon.lock")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  await once(holder.stdout, "data");
  const log = new LogBook({ capacity: 10, now: Date.now });
  const engine = {
    processTable: { isHostReady: () => true, isIncompatible: () => false },
    events: new Publisher<DomainEvent>(() => {}),
    daemonExited: () => {},
  } as unknown as Engine;
  const daemon = new LocalDaemon({ stateDir, host: "one", socket: join(folder, "bus.sock"), prepared: null });
  expect(await daemon.find()).toBe(true);
  const keeper = new DaemonKeeper({ stateDir, daemon, engine, log });
  await keeper.begin(new AbortController().signal);
  // Without its state folder, no daemon can be started: the next attempt follows after a pause.
  await rename(stateDir, join(folder, "moved"));
  await writeFile(stateDir, "");
  holder.kill("SIGKILL");
  await expect.poll(() => log.entries().at(-1)?.msg).toContain("could not be started again");
  const waiting = timers();
  keeper.release();
  expect(timers()).toBeLessThan(waiting);
  await rm(folder, { recursive: true });
});
