import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Clock, systemClock } from "../../../src/base/timing/clock.ts";
import { FileWatcher } from "../../../src/daemon/run/file-watcher.ts";
import { HostRig, reportedBy, spec } from "../support/hosts.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "mgr-watch-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

let puts = 0;
/** Each time with another size: the kernel's times of two writes may be the same. */
const put = (name: string) => {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), "x".repeat(++puts));
};

/** The system's clock, but no timer fires while it is held. */
class HeldClock implements Clock {
  isHeld = false;
  readonly now = systemClock.now;
  readonly monotonic = systemClock.monotonic;

  setTimeout(callback: () => void, milliseconds: number): NodeJS.Timeout {
    const timer = setTimeout(() => (this.isHeld ? timer.refresh() : callback()), milliseconds);
    return timer;
  }

  clearTimeout(handle: unknown): void {
    systemClock.clearTimeout(handle);
  }
}

class Watched implements Disposable {
  readonly changes: string[] = [];
  readonly problems: string[] = [];
  readonly #watcher: FileWatcher;
  #wake: () => void = () => {};

  /** Begins to watch; resolves when the watcher has found a file, and is notified of changes from then on. */
  static async begin(globs: string[], clock?: Clock): Promise<Watched> {
    const watched = new Watched(globs, clock);
    await watched.settled();
    return watched;
  }

  constructor(globs: string[], clock: Clock = systemClock) {
    this.#watcher = new FileWatcher({
      globs,
      base: folder,
      clock,
      onChange: (path) => {
        this.changes.push(path.slice(folder.length + 1));
        this.#wake();
      },
      onProblem: (msg) => this.problems.push(msg),
    });
  }

  /** Each scan watches a folder before it reads it: what is known of a file is up to date, or a notification is on its way. */
  async settled(): Promise<void> {
    while ((this.#watcher.files?.size ?? 0) === 0) await pause(5);
    this.changes.length = 0;
  }

  async next(): Promise<string> {
    while (this.changes.length === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.changes.shift() ?? "";
  }

  [Symbol.dispose](): void {
    this.#watcher.end();
  }
}

describe("watched globs", () => {
  test("report files that are changed, added, renamed and removed, also in folders that are new", async () => {
    put("src/a.js");
    using watched = await Watched.begin(["src/**/*.js"]);
    put("src/deep/er/b.js");
    expect(await watched.next()).toBe("src/deep/er/b.js");
    put("src/deep/er/b.js");
    expect(await watched.next()).toBe("src/deep/er/b.js");
    renameSync(join(folder, "src/deep"), join(folder, "src/other"));
    expect(await watched.next()).toBe("src/other/er/b.js");
    rmSync(join(folder, "src/other"), { recursive: true });
    expect(await watched.next()).toBe("src/other/er/b.js");
  });

  test("do not report other files, ignored folders, or one change twice", async () => {
    put("src/a.js");
    put("node_modules/x/index.js");
    using watched = await Watched.begin(["**/*.js", "!**/*.gen.js"]);
    put("src/a.txt");
    put("src/b.gen.js");
    put("node_modules/x/index.js");
    put(".git/hooks/x.js");
    put("src/last.js");
    expect(await watched.next()).toBe("src/last.js");
    await pause(500);
    expect(watched.changes).toEqual([]);
  });

  test("without wildcards are a file or a whole folder, also with a dot at the beginning", async () => {
    put("config.json");
    put("other.json");
    put("data/deep/.hidden");
    using watched = await Watched.begin(["config.json", "data"]);
    put("other.json");
    put("data/deep/.hidden");
    expect(await watched.next()).toBe("data/deep/.hidden");
    put("config.json");
    expect(await watched.next()).toBe("config.json");
  });

  test("combine a burst of changes into one", async () => {
    put("a.js");
    const clock = new HeldClock();
    using watched = await Watched.begin(["*.js"], clock);
    // A slow machine may take longer for the burst than the watcher waits for a further change.
    clock.isHeld = true;
    for (let n = 0; n < 20; n++) {
      put("a.js");
      await new Promise((resolve) => setImmediate(resolve));
    }
    clock.isHeld = false;
    await watched.next();
    await pause(500);
    expect(watched.changes).toEqual([]);
  });

  test.each([
    ["the link itself", "current/**/*.js"],
    ["a folder behind it", "current/src/*.js"],
    ["a link to that link", "alias/src/*.js"],
  ])("report a link that is switched to another target, as by a deployment (%s), and its later content", async (_, glob) => {
    put("build-1/src/a.js");
    put("build-2/src/a.js");
    symlinkSync("build-1", join(folder, "current"));
    symlinkSync("current", join(folder, "alias"));
    using watched = await Watched.begin([glob]);
    // As deployments do it: in one step.
    symlinkSync("build-2", join(folder, "next"));
    renameSync(join(folder, "next"), join(folder, "current"));
    expect(await watched.next()).toMatch(/src\/a\.js$/);
    await pause(300);
    watched.changes.length = 0;
    put("build-2/src/a.js");
    expect(await watched.next()).toMatch(/src\/a\.js$/);
  });

  test("find a folder that is created later", async () => {
    using watched = new Watched(["late/*.js"]);
    put("late/a.js");
    await watched.settled();
    put("late/b.js");
    expect(await watched.next()).toBe("late/b.js");
    expect(watched.problems).toEqual([]);
  });
});

test("a change is an event of the living run, and none once the run is being stopped", async () => {
  put("a.js");
  await using rig = await HostRig.open();
  const run = await rig.spawn(
    spec("p", "trap 'sleep 0.6; exit 0' TERM; echo up; while :; do sleep 0.01; done", { base_dir: folder, cwd: folder, watch: ["*.js"] }),
  );
  let received = false;
  const event = rig.event(run, "watch").then((found) => {
    received = true;
    return found;
  });
  for (let n = 1; !received; n++) {
    put("a.js");
    utimesSync(join(folder, "a.js"), n, n);
    await Promise.race([event, pause(400)]);
  }
  expect((await event).run.changed_file).toBe(join(folder, "a.js"));
  rig.events.length = 0;
  await rig.host.request("stop", { session: rig.session, run_id: run.run_id, steps: [{ signal: "SIGTERM", timeout_ms: 5_000 }] });
  put("a.js");
  await rig.event(run, "extinct");
  expect(rig.events.flatMap(reportedBy)).toEqual(["stopping", "exited", "extinct"]);
});
