// A full-screen program on the alternate screen, redrawn on resize and every second. `q` quits, arrows move the selection.
import { cpus, freemem, hostname, loadavg, totalmem, uptime } from "node:os";

const out = process.stdout;
let mark = 0;

function bar(share, width) {
  const filled = Math.round(Math.min(1, Math.max(0, share)) * width);
  return `\x1b[32m${"|".repeat(filled)}\x1b[90m${"·".repeat(width - filled)}\x1b[0m`;
}

function draw() {
  const columns = out.columns ?? 80;
  const rows = out.rows ?? 24;
  const width = Math.max(5, Math.min(50, columns - 24));
  const lines = [
    `${`\x1b[7m ${hostname()} — ${columns}×${rows} `.padEnd(columns + 4)}\x1b[0m`,
    "",
    ` memory  ${bar(1 - freemem() / totalmem(), width)} ${((1 - freemem() / totalmem()) * 100).toFixed(0)}%`,
    ...loadavg().map(
      (load, index) => ` load ${[1, 5, 15][index].toString().padStart(2)}m ${bar(load / cpus().length, width)} ${load.toFixed(2)}`,
    ),
    ` up      ${(uptime() / 3600).toFixed(1)} h`,
    "",
    ...["first", "second", "third"].map((word, index) => (index === mark ? ` \x1b[7m ${word} \x1b[0m` : `  ${word}`)),
    "",
    " arrows move, q quits",
  ];
  out.write(`\x1b[H\x1b[2J${lines.slice(0, rows).join("\r\n")}`);
}

function leave() {
  out.write("\x1b[?25h\x1b[?1049l");
  process.exit(0);
}

out.write("\x1b[?1049h\x1b[?25l");
if (process.stdin.isTTY) process.stdin.setRawMode(true);
process.stdin.on("data", (key) => {
  const text = key.toString();
  if (text === "q" || text === "\x03") leave();
  if (text === "\x1b[A") mark = (mark + 2) % 3;
  if (text === "\x1b[B") mark = (mark + 1) % 3;
  draw();
});
out.on("resize", draw);
process.on("SIGTERM", leave);
setInterval(draw, 1000);
draw();
