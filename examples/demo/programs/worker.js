// Repeatedly reads all values from the server and writes back their mean.
import { readFileSync } from "node:fs";

const [name = "worker", period = "1000"] = process.argv.slice(2);
const url = readFileSync("state/server.url", "utf8");
for (let round = 1; ; round++) {
  const keys = (await (await fetch(`${url}/`)).json()).filter((key) => key.startsWith("sample-"));
  const values = await Promise.all(keys.map(async (key) => Number(await (await fetch(`${url}/${key}`)).text())));
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
  await fetch(`${url}/mean-${name}`, { method: "PUT", body: mean.toFixed(6) });
  console.log(`${new Date().toISOString()} round ${round}: mean of ${values.length} values is ${mean.toFixed(6)}`);
  await new Promise((resolve) => setTimeout(resolve, Number(period)));
}
