#!/usr/bin/env node
import { existsSync } from "node:fs";

/** `engines` of package.json; nothing else of this program may be loaded by an older Node. */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`mgr needs Node 20.19 or later; this is Node ${process.versions.node} (${process.execPath}).\n`);
  process.exit(1);
}
const program = new URL("../dist/program/mgr.js", import.meta.url);
if (!existsSync(program)) {
  process.stderr.write("mgr is not built yet: run `npm ci && npm run build` in its folder first.\n");
  process.exit(1);
}
await import(program.href);
