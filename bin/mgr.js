#!/usr/bin/env node
// CommonJS (package.json beside it): Node starts it some 8 ms faster than an ES module.
const { existsSync } = require("node:fs");
const { join } = require("node:path");

/** `engines` of package.json; nothing else of this program may be loaded by an older Node. */
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`mgr needs Node 20.19 or later; this is Node ${process.versions.node} (${process.execPath}).\n`);
  process.exit(1);
}
const program = join(__dirname, "../dist/program/mgr.cjs");
if (!existsSync(program)) {
  process.stderr.write("mgr is not built yet: run `npm ci && npm run build` in its folder first.\n");
  process.exit(1);
}
/** Answers completion in shells, if that feature is there. */
const quickNames = join(__dirname, "../dist/program/quick-names.cjs");
const isCompletion = process.argv[2] === "completion" && process.argv[3] === "names";
// Scripts ask for it, and it needs nothing else of this program.
if (process.argv.length === 3 && process.argv[2] === "--version") console.log(require("../package.json").version);
else if (isCompletion && existsSync(quickNames)) {
  require(quickNames)
    .quickNames(process.argv.slice(4))
    .then((isDone) => isDone || require(program));
} else require(program);
