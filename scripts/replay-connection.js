// Sends the client's frames of a recording to a manager at their recorded pace, and prints every frame that comes back.
//   node scripts/replay-connection.js connection.jsonl http://localhost:8130 USER:PASSWORD
import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { WebSocket } from "ws";

/** How long answers to the last frame are waited for, milliseconds. */
const LAST_ANSWERS_MS = 2_000;
const [file, target, auth] = process.argv.slice(2);
if (!file || !target || !auth) {
  console.error("usage: node scripts/replay-connection.js FILE MANAGER_URL USER:PASSWORD");
  process.exit(2);
}
const lines = readFileSync(file, "utf8").trim().split("\n");
const frames = lines.map((line) => JSON.parse(line)).filter(({ from }) => from === "client");

const socket = new WebSocket(new URL("/ws", target.replace(/^http/, "ws")), { auth });
socket.on("message", (data) => console.log(data.toString()));
socket.on("error", (error) => {
  console.error(`replay: ${error.message}`);
  process.exit(1);
});
socket.once("open", async () => {
  let at = frames[0]?.at ?? 0;
  for (const next of frames) {
    await pause(next.at - at);
    at = next.at;
    socket.send(JSON.stringify(next.frame));
  }
  await pause(LAST_ANSWERS_MS);
  socket.close();
});
