// A small system of three processes, as both suites test it: a store, a sensor that fills it, a report that reads it.
import { fileURLToPath } from "node:url";

const program = (name) => ["node", fileURLToPath(new URL(`./programs/${name}.js`, import.meta.url))];

/** `folder` is for the store's socket: one for each test, so that tests can run side by side. */
export function system(folder) {
  return {
    defaults: { environment: { STORE: `${folder}/store.sock` }, stop: { timeout: "2s" } },
    processes: {
      "plant/store": { command: program("store"), ready: { regex: "is open" } },
      "plant/sensor": {
        command: program("sensor"),
        ready: { regex: "measuring" },
        depends_on: { "plant/store": { condition: "ready" } },
        restart: { policy: "on-failure", delay: "100ms", factor: 2, max_delay: "5s" },
      },
      "plant/report": { command: program("report"), depends_on: { "plant/sensor": { condition: "ready" } } },
    },
  };
}
