// A key-value store for programs on this machine: lines of "set NAME VALUE" and "get NAME" over a unix socket.
import { createServer } from "node:net";
import { createInterface } from "node:readline";

const values = new Map();
createServer((socket) => {
  socket.on("error", () => {});
  createInterface({ input: socket }).on("line", (line) => {
    const [verb, name, value] = line.split(" ");
    if (verb === "set") values.set(name, value);
    else socket.write(`${values.get(name) ?? "nothing"}\n`);
  });
}).listen(process.env.STORE, () => console.log("the store is open"));
