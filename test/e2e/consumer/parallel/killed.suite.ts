import { createManager } from "mgr";
import { test } from "vitest";
import { system } from "./system.js";

test("is killed while its system runs", { timeout: 120_000 }, async () => {
  const manager = await createManager(system);
  await manager.process("web").start();
  process.stdout.write(`worker ${process.pid} runs\n`);
  await new Promise(() => {});
});
