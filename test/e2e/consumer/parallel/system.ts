import { readFileSync } from "node:fs";
import type { ConfigInput } from "mgr";

const { seconds, temporary } = JSON.parse(readFileSync(new URL("./seconds.json", import.meta.url), "utf8")) as {
  seconds: string;
  temporary: string;
};
process.env.TMPDIR = temporary;

/** Three processes that live as long as nobody else's. */
export const system: ConfigInput = {
  processes: {
    db: { command: `echo open; exec sleep ${seconds}`, ready: { regex: "open" } },
    api: { command: ["sleep", seconds], depends_on: { db: { condition: "ready" } } },
    web: { command: `trap '' TERM HUP; exec sleep ${seconds}`, depends_on: ["api"] },
  },
};
