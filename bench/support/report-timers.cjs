// Loaded into manager and daemon by --require: writes how many timers keep the program running to <HOME>/timers.<pid>, each second.
const { writeFileSync } = require("node:fs");
const { join } = require("node:path");

setInterval(() => {
  const timers = process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  writeFileSync(join(process.env.HOME ?? "", `timers.${process.pid}`), String(timers));
}, 1_000).unref();
