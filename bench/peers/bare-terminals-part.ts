// Starts each process with posix_spawn under a pseudo terminal, as the host daemon does, and starts it again when it ends.
import { closeSync } from "node:fs";
import { spawnLeader } from "../../src/daemon/native/posix-spawn.ts";
import { openTerminalPair } from "../../src/daemon/native/terminal-pair.ts";
import { Child } from "../../src/daemon/process/child.ts";

type Question = { start: string[][]; cwd: string } | { stop: true } | { restart: number };

let commands: string[][] = [];
let cwd = "/";
let isStopping = false;
const children: Child[] = [];

function start(number: number): void {
  const [path = "", ...args] = commands[number] ?? [];
  const { master, slave, path: standard } = openTerminalPair(24, 80);
  const { child } = Child.start(() =>
    spawnLeader({ path, argv: [path, ...args], environment: { PATH: process.env.PATH ?? "" }, cwd, standard }),
  );
  closeSync(slave);
  if (child === null) throw new Error(`process ${number} was not started`);
  children[number] = child;
  child.once("exit", () => {
    closeSync(master);
    if (!isStopping) start(number);
  });
}

async function stopAll(): Promise<void> {
  isStopping = true;
  const living = children.splice(0);
  const gone = living.map((child) => new Promise((resolve) => child.once("exit", resolve)));
  for (const child of living) child.kill("SIGTERM");
  await Promise.all(gone);
}

process.on("message", async (question: Question) => {
  if ("start" in question) {
    ({ start: commands, cwd } = question);
    for (const number of commands.keys()) start(number);
  } else if ("stop" in question) await stopAll();
  else children[question.restart]?.kill("SIGTERM");
  process.send?.({ done: true });
});
process.send?.("ready");
