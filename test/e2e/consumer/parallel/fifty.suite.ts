import { createManager } from "mgr";
import { describe, expect, test } from "vitest";
import { system } from "./system.js";

describe.concurrent("a system of three processes", () => {
  test.each(Array.from({ length: 50 }, (_, index) => index))("comes up, number %i", async () => {
    const manager = await createManager(system);
    try {
      expect((await manager.process("web").start()).state).toBe("started");
      await manager.process("db").waitForOutput(/open/);
    } finally {
      await manager.close();
    }
  });
});
