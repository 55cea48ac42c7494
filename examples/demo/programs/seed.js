// A one-shot job: writes twenty values to the server, then exits.
import { readFileSync } from "node:fs";

const url = readFileSync("state/server.url", "utf8");
for (let index = 1; index <= 20; index++) {
  await fetch(`${url}/sample-${index}`, { method: "PUT", body: String(Math.sin(index / 3)) });
  process.stdout.write(`\rseeding ${index}/20`);
  await new Promise((resolve) => setTimeout(resolve, 60));
}
console.log("\ndone");
