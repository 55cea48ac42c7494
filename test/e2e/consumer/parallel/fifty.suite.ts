import { createManager } from "mgr";
import { describe, expect, test } from "vitest";
import { system } from "./system.js";

describe.concurrent("a system of three processes", () => {
  test.each(Array.from({ length: 50 }, (_, index) => index))("comes up, number %i", async () => {
    const manager = await createManager(system);
    try {
      // Fifty managers in one program take long on a slow machine.
      const slowly = { timeout: 150_000 };
      expect((await manager.process("web").start(slowly)).state).toBe("started");
      await manager.process("db").waitForOutput(/open/, slowly);
    } finally {
      await manager.close();
    }
  });
});
