import { defineConfig } from "vitest/config";

export default defineConfig({
  // Node 20 does not know `await using`: it is compiled away. Later versions need no such line.
  oxc: { target: "es2022" },
  test: { include: ["*.vitest.test.ts"] },
});
