// Writes lines of text at a steady rate: node steady-output.js BYTES_PER_SECOND. What a terminal does not take is not made up for.
const rate = Number(process.argv[2]);
const LINE = "2026-11-21T08:14:02.123 \x1b[32mINFO\x1b[0m  a line of a program that says more than anybody will ever read: 42\n";
const TICK_MS = 5;
let before = performance.now();
let due = 0;
let isFull = false;
process.stdout.on("drain", () => {
  isFull = false;
});
setInterval(() => {
  const now = performance.now();
  if (!isFull) {
    due += (rate * Math.min(now - before, 50)) / 1_000;
    const lines = Math.floor(due / LINE.length);
    due -= lines * LINE.length;
    isFull = !process.stdout.write(LINE.repeat(lines));
  }
  before = now;
}, TICK_MS);
