import { expect, test } from "vitest";
import { assertHappened, type Bench, createBench, matchers } from "../../src/testing/index.ts";

// What `expect(process)` does with a matcher, without its types.
const matched = (received: unknown, matcher: "toReach" | "toPrint", ...values: unknown[]) => {
  expect.extend(matchers);
  return (expect(received) as unknown as Record<string, (...args: unknown[]) => Promise<void>>)[matcher]?.(...values);
};
const never = { timeout: 10 };

test.each<[string, (bench: Bench) => unknown]>([
  ["assertHappened", ({ recorder }) => assertHappened(recorder, ["db: ready"])],
  ["a wait for a state", ({ manager }) => manager.process("db").waitFor("ready", never)],
  ["a start", ({ manager }) => manager.process("slow").start(never)],
  ["a wait for output", ({ manager }) => manager.process("db").waitForOutput(/x/, never)],
  ["a wait for a group", ({ manager }) => manager.group("g").waitFor("ready", never)],
  ["expect().toReach", ({ manager }) => matched(manager.process("db"), "toReach", "ready", never)],
  ["expect().toPrint", ({ manager }) => matched(manager.process("db"), "toPrint", /x/, never)],
  ["until", (bench) => bench.until(new Promise(() => {}), { within: 10 })],
])("an error of %s begins its stack in the test", async (_what, act) => {
  const processes = {
    db: { command: "db" },
    "g/web": { command: "web" },
    slow: { command: "slow", ready: { time: "1h" }, ready_timeout: "2h" },
  };
  await using bench = await createBench({ processes });
  const error = await bench.until((async () => act(bench))()).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(Error);
  const frames = String((error as Error).stack)
    .split("\n")
    .filter((line) => /^\s+at /.test(line) && !/node_modules|node:internal/.test(line));
  expect(frames[0]).toContain("error-places.test.ts");
});
