import { describe, expect, it } from "vitest";
import { LogBook, levelAtLeast } from "../../src/log/log-book.ts";
import { LOG_LEVELS } from "../../src/protocol/resources/resources.ts";

const NOW = Date.UTC(2026, 10, 21, 8, 14, 2, 123);

function book(capacity = 4, lastId?: number) {
  return new LogBook({ capacity, now: () => NOW, ...(lastId === undefined ? {} : { lastId }) });
}

function fill(log: LogBook, count: number, level: (n: number) => "debug" | "info" | "warning" | "error" = () => "info"): void {
  for (let n = 1; n <= count; n++) log.append({ level: level(n), source: "test", msg: `entry ${n}` });
}

const messages = (log: LogBook, options?: Parameters<LogBook["entries"]>[0]) => log.entries(options).map(({ msg }) => msg);

describe("ids", () => {
  it("begin at the time in microseconds, or after the last one that was persisted, whichever is higher", () => {
    expect(book().append({ level: "info", source: "s", msg: "m" }).id).toBe(NOW * 1_000);
    expect(book(4, 5).append({ level: "info", source: "s", msg: "m" }).id).toBe(NOW * 1_000);
    // The clock was set back since.
    expect(book(4, NOW * 1_000 + 7).append({ level: "info", source: "s", msg: "m" }).id).toBe(NOW * 1_000 + 8);
  });

  it("continue those of earlier managers, whose entries are kept", () => {
    const earlier = [1, 2, 3].map(
      (n) => ({ id: NOW * 1_000 + n, ts: "2026-11-21T08:14:02.123", level: "info", source: "s", msg: `old ${n}` }) as const,
    );
    const log = new LogBook({ capacity: 3, now: () => NOW, earlier });
    expect(log.append({ level: "info", source: "s", msg: "new" }).id).toBe(NOW * 1_000 + 4);
    expect(messages(log)).toEqual(["old 2", "old 3", "new"]);
  });

  it("grow by one each, and lastId is that of the newest entry", () => {
    const log = book();
    expect(log.lastId).toBe(NOW * 1_000 - 1);
    fill(log, 9);
    const ids = log.entries().map(({ id }) => id);
    expect(ids).toEqual([6, 7, 8, 9].map((n) => NOW * 1_000 + n - 1));
    expect(log.lastId).toBe(ids.at(-1));
    expect(Number.isSafeInteger(log.lastId)).toBe(true);
  });
});

describe("entries", () => {
  it("have every field of the protocol", () => {
    expect(book().append({ level: "warning", source: "http", msg: "text" })).toEqual({
      id: NOW * 1_000,
      ts: "2026-11-21T08:14:02.123",
      level: "warning",
      source: "http",
      msg: "text",
    });
  });

  it("are the newest up to the capacity, oldest first", () => {
    for (const count of [0, 1, 3, 4, 5, 8, 11]) {
      const log = book(4);
      fill(log, count);
      const kept = Math.min(count, 4);
      expect(messages(log)).toEqual(Array.from({ length: kept }, (_, n) => `entry ${count - kept + n + 1}`));
    }
  });

  it("are kept beyond the initial allocation", () => {
    const log = book(3_000);
    fill(log, 4_500);
    expect(log.entries()).toHaveLength(3_000);
    expect(messages(log)[0]).toBe("entry 1501");
  });

  it("of at least a level; the limit counts those alone", () => {
    const log = book(100);
    fill(log, 20, (n) => LOG_LEVELS[n % 4] ?? "info");
    expect(log.entries()).toHaveLength(20);
    for (const [index, level] of LOG_LEVELS.entries()) expect(log.entries({ level })).toHaveLength(5 * (4 - index));
    expect(messages(log, { level: "error", limit: 2 })).toEqual(["entry 15", "entry 19"]);
    expect(messages(log, { limit: 3 })).toEqual(["entry 18", "entry 19", "entry 20"]);
    expect(messages(log, { limit: 1_000 })).toHaveLength(20);
    const [first] = log.entries({ limit: 3 });
    expect(messages(log, { limit: 3, before: first?.id ?? 0 })).toEqual(["entry 15", "entry 16", "entry 17"]);
  });

  it("levels are ordered: debug, info, warning, error", () => {
    for (const [low, level] of LOG_LEVELS.entries())
      for (const [high, minimum] of LOG_LEVELS.entries()) expect(levelAtLeast(level, minimum)).toBe(low >= high);
  });
});

describe("followers", () => {
  it("receive each entry once, in order, until they unsubscribe", () => {
    const log = book();
    const seen: string[] = [];
    const unsubscribe = log.subscribe(({ msg }) => seen.push(msg));
    fill(log, 2);
    unsubscribe();
    unsubscribe();
    fill(log, 2);
    expect(seen).toEqual(["entry 1", "entry 2"]);
  });

  it("receive the entries in one order, also when a follower writes one itself", () => {
    const log = book();
    const seen: string[] = [];
    log.subscribe(({ msg }) => {
      if (msg === "cause") log.append({ level: "info", source: "s", msg: "effect" });
    });
    log.subscribe(({ msg }) => seen.push(msg));
    log.append({ level: "info", source: "s", msg: "cause" });
    expect(seen).toEqual(["cause", "effect"]);
  });

  it("that throw do not delay other listeners or the writer; the error is reported as uncaught", async () => {
    const log = book();
    const seen: string[] = [];
    log.subscribe(() => {
      throw new Error("a follower's defect");
    });
    log.subscribe(({ msg }) => seen.push(msg));
    const known = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException");
    try {
      const uncaught = new Promise((resolve) => process.once("uncaughtException", resolve));
      fill(log, 1);
      expect(seen).toEqual(["entry 1"]);
      expect(await uncaught).toMatchObject({ message: "a follower's defect" });
    } finally {
      for (const listener of known) process.on("uncaughtException", listener);
    }
  });
});
