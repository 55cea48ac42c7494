import { defineConfig } from "vitest/config";
import full from "./vitest.config.ts";

/** What starts processes, waits for real time or tries thousands of cases. */
const SLOW = [
  "base/fnmatch",
  "client/process-handle",
  "config/command-line",
  "config/includes",
  "config/intent",
  "config/load",
  "log/rotated-file",
  "transport/connections-leak",
  "transport/flood",
  "transport/frames-fuzz",
];
const FOLDERS = "actors,base,client,config,contract,log,protocol,testing,transport,web";

/** `npm run test:fast`: no process, no browser. Files share a worker's modules, which halves the time. */
export default defineConfig({
  ...full,
  test: {
    ...full.test,
    projects: (full.test?.projects ?? []).slice(0, 1).map((unit) => ({
      ...(unit as object),
      test: {
        ...(unit as { test: object }).test,
        isolate: false,
        include: [`test/{${FOLDERS}}/**/*.test.ts`],
        exclude: SLOW.map((name) => `test/${name}.test.ts`),
      },
    })),
  },
});
