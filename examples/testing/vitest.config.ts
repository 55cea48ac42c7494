import { defineConfig } from "vitest/config";

export default defineConfig({
  // Node 20 does not support `await using`, so it is compiled. Later versions do not need this line.
  oxc: { target: "es2022" },
  test: { include: ["*.vitest.test.ts"] },
});
