// A small service under test: POST /entries adds one, GET /entries lists them.
import { createServer } from "node:http";

const entries = [];
const server = createServer(async (request, response) => {
  if (request.method === "POST") {
    let body = "";
    for await (const chunk of request) body += chunk;
    entries.push(body);
  }
  console.log(request.method, request.url);
  response.end(request.url === "/health" ? "ok\n" : `${entries.join("\n")}\n`);
});
server.listen(Number(process.env.PORT), "127.0.0.1");
