import { defineConfig } from "vitest/config";

export default defineConfig({ test: { include: ["*.suite.ts"], pool: "forks", maxConcurrency: 50, testTimeout: 180_000 } });
