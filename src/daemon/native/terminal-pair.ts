import { libc, setCloseOnExec, systemError } from "./libc.ts";
import { ptyBinding } from "./pty-binding.ts";

const tcgetattr = libc.func("int tcgetattr(int fd, void *settings)") as (fd: number, settings: Buffer) => number;
const tcsetattr = libc.func("int tcsetattr(int fd, int when, const void *settings)") as (
  fd: number,
  when: number,
  settings: Buffer,
) => number;

const TCSANOW = 0;
/** Larger than glibc's and musl's `struct termios` (60 bytes); its first member is c_iflag, 32 bits. */
const TERMIOS_BYTES = 128;
const IUTF8 = 0o40000;

/** A new pseudo terminal; neither end is inherited by children. `path` names the slave. */
export function openTerminalPair(rows: number, cols: number): { master: number; slave: number; path: string } {
  const pair = ptyBinding().open(cols, rows);
  // Not atomic with openpty, but nothing forks in between: this process starts children on this thread only.
  setCloseOnExec(pair.master);
  setCloseOnExec(pair.slave);
  eraseWholeCharacters(pair.slave);
  return { master: pair.master, slave: pair.slave, path: pair.pty };
}

/** Sets IUTF8: otherwise the erase key removes a single byte of a character when the kernel edits the line. */
function eraseWholeCharacters(fd: number): void {
  const settings = Buffer.alloc(TERMIOS_BYTES);
  if (tcgetattr(fd, settings) === -1) throw systemError("tcgetattr");
  const input = new Uint32Array(settings.buffer, settings.byteOffset, 1);
  input[0] = (input[0] ?? 0) | IUTF8;
  if (tcsetattr(fd, TCSANOW, settings) === -1) throw systemError("tcsetattr");
}

/** Sets the size; the kernel sends SIGWINCH to the terminal's foreground group if it changed. */
export function resizeTerminal(fd: number, rows: number, cols: number): void {
  ptyBinding().resize(fd, cols, rows);
}
