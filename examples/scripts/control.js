// Logs in, takes a snapshot, starts a process, types into it, reads its output, stops it. Run it with:
//   node examples/scripts/control.js http://localhost:8130 USER PASSWORD PROCESS
import WebSocket from "ws";

const [url, user, password, name] = process.argv.slice(2);
const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
const ws = new WebSocket(`${url.replace(/^http/, "ws")}/ws`, { headers: { authorization } });
const send = (type, fields) => ws.send(JSON.stringify({ type, ...fields }));
const on = {
  snapshot: ({ processes }) => {
    console.log(`${processes.length} processes`);
    send("subscribe_process_output", { patterns: [name] });
    send("start_process", { name });
  },
  process_upsert: ({ process: { name: changed, state } }) => {
    if (changed !== name) return;
    console.log(`${name} is ${state}`);
    if (state === "started") send("send_stdin", { name, text: "hello\n" });
    if (state === "stopped") ws.close();
  },
  process_output: ({ output }) => {
    console.log(JSON.stringify(output));
    if (output.includes("you typed hello")) send("stop_process", { name });
  },
  error: ({ message }) => console.log(message),
};
ws.on("open", () => send("get_snapshot"));
ws.on("message", (data) => {
  const frame = JSON.parse(data);
  on[frame.type]?.(frame);
});
