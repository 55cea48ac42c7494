// The system that both suites test: a store, a sensor that writes to it, and a report that reads from it.
import { fileURLToPath } from "node:url";

const program = (name) => ["node", fileURLToPath(new URL(`./programs/${name}.js`, import.meta.url))];

/** `folder` holds the store's socket. Each test has its own folder, so that tests can run in parallel. */
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
