import { keysOf } from "../../../cli/terminal/keys.ts";
import { clockText } from "../player/clock-text.ts";
import type { Player } from "../player/player.ts";

const SEEK_MS = 5_000;
const FAR_MS = 60_000;
const SHOW_MS = 100;
const HELP = "space pause  s step  ←→ 5 s  ↑↓ 60 s  +- rate  q quit";
const CLEAR_LINE = "\r\x1b[K";
const UNKNOWN_COLUMNS = 80;

/** Action of a key. */
export function pressed(player: Player, key: string): void {
  if (key === " ") player.isPaused ? player.resume() : player.pause();
  else if (key === "s") player.step();
  else if (key === "left" || key === "right") player.seek(player.position + (key === "left" ? -SEEK_MS : SEEK_MS));
  else if (key === "up" || key === "down") player.seek(player.position + (key === "down" ? -FAR_MS : FAR_MS));
  else if (key === "home") player.seek(0);
  else if (key === "+" || key === "=") player.setRate(player.rate * 2);
  else if (key === "-") player.setRate(player.rate / 2);
  else if (key === "q" || key === "ctrl-c") player.stop();
}

/** One line with the state of a play. */
export function statusLine(player: Player, columns: number): string {
  const { isPaused, position, length, rate, published } = player;
  const state = `${isPaused ? "paused " : "playing"} ${clockText(position)} / ${clockText(length)}  ×${Number(rate.toPrecision(3))}  ${published} messages`;
  return `${state}   ${HELP}`.slice(0, Math.max(0, columns - 1));
}

/** Lets the keys of this terminal control the play, and shows its state, until `work` settles. The terminal is restored in any case. */
export async function withKeys(player: Player, work: () => Promise<void>): Promise<void> {
  const { stdin, stdout } = process;
  const show = () => stdout.write(`${CLEAR_LINE}${statusLine(player, stdout.columns || UNKNOWN_COLUMNS)}`);
  const typed = (data: Buffer) => {
    for (const { key } of keysOf(data.toString())) pressed(player, key);
    show();
  };
  const stop = () => player.stop();
  const continued = () => {
    stdin.setRawMode(true);
    show();
  };
  stdin.setRawMode(true);
  stdin.on("data", typed).once("end", stop).resume();
  process.on("SIGCONT", continued);
  const timer = setInterval(show, SHOW_MS);
  show();
  try {
    await work();
    show();
  } finally {
    clearInterval(timer);
    process.off("SIGCONT", continued);
    stdin.off("data", typed).off("end", stop).pause();
    stdin.setRawMode(false);
    stdout.write("\n");
  }
}
