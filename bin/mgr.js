#!/usr/bin/env node
import { existsSync } from "node:fs";

const program = new URL("../dist/cli/main.js", import.meta.url);
if (!existsSync(program)) {
  process.stderr.write("mgr is not built yet: run `npm run build` in its folder first.\n");
  process.exit(1);
}
await import(program.href);
