// Logs in, takes a snapshot, starts a process, reads its output, types into it, stops it:
//   node examples/scripts/control.js http://localhost:8130 USER PASSWORD PROCESS
// An upsert reports every change of a process, not only changes of its state.
import WebSocket from "ws";

const [url, user, password, name] = process.argv.slice(2);
const ws = new WebSocket(`${url.replace(/^http/, "ws")}/ws`, { auth: `${user}:${password}` });
const send = (type, fields) => ws.send(JSON.stringify({ type, ...fields }));
let [output, state] = ["", ""];
ws.on("open", () => send("get_snapshot"));
ws.on("message", (data) => {
  const frame = JSON.parse(data);
  if (frame.type === "snapshot") console.log(`${frame.processes.length} processes`);
  if (frame.type === "snapshot") send("subscribe_process_output", { patterns: [name] });
  if (frame.type === "snapshot") send("start_process", { name });
  if (frame.type === "process_output") console.log(JSON.stringify(frame.output));
  if (frame.type === "process_output") output += frame.output;
  if (output.includes("you typed hello")) send("stop_process", { name });
  if (frame.type !== "process_upsert" || frame.process.name !== name || frame.process.state === state) return;
  state = frame.process.state;
  console.log(`${name} is ${state}`);
  if (state === "started") send("send_stdin", { name, text: "hello\n" });
  if (state === "stopped") ws.close();
});
