// The peer of the flood: reads a terminal as fast as it can and counts.
import { type IPty, spawn } from "node-pty";

const [, , program = "", ...args] = process.argv;
let bytes = 0;
let terminal: IPty | null = null;

process.on("message", ({ run }: { run?: boolean }) => {
  if (run === true) {
    terminal = spawn(program, args, { encoding: null });
    terminal.onData((data) => {
      bytes += data.length;
    });
  }
  if (run === false) terminal?.kill("SIGTERM");
  process.send?.({ bytes });
});
process.on("disconnect", () => process.exit());
process.send?.({});
