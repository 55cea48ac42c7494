// A key-value store over HTTP: GET /<key>, PUT /<key>, GET / lists the keys. It prints the free port that it listens on.
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";

const store = new Map();
const server = createServer(async (request, response) => {
  const key = decodeURIComponent(request.url.slice(1));
  if (request.method === "PUT") {
    let body = "";
    for await (const chunk of request) body += chunk;
    store.set(key, body);
    console.log(`put ${key} (${body.length} bytes, ${store.size} keys)`);
    response.writeHead(204).end();
    return;
  }
  if (key !== "" && !store.has(key)) {
    response.writeHead(404).end("no such key\n");
    return;
  }
  response.end(key === "" ? JSON.stringify([...store.keys()]) : store.get(key));
});
server.listen(0, "127.0.0.1", () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  mkdirSync("state", { recursive: true });
  writeFileSync("state/server.url", url);
  console.log(`\x1b[32mlistening on ${url}\x1b[0m`);
});
process.on("SIGTERM", () => {
  console.log("SIGTERM: closing");
  server.closeAllConnections();
  server.close(() => process.exit(0));
});
