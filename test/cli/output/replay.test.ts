import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { replay } from "../../../src/cli/commands/processes/attach/replay.ts";

/** A terminal that answers what it is asked, as xterm does, and is typed into meanwhile. */
function terminal({ answers = true, typed = "" }: { answers?: boolean; typed?: string | Buffer } = {}) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stdout = Object.assign(new PassThrough(), { isTTY: true });
  const shown: string[] = [];
  stdout.on("data", (data) => {
    const text = String(data);
    shown.push(text);
    if (!answers) {
      stdin.write(typed);
      return;
    }
    if (text.includes("\x1b[6n")) stdin.write("\x1b[24;80R");
    if (text.includes("\x1b[c")) stdin.write("\x1b[?62;22c");
    if (text.includes("\x1b]11;?")) stdin.write("\x1b]11;rgb:0000/0000/0000\x07");
    stdin.write(typed);
    if (text.includes("\x1b[5n")) stdin.write("\x1b[0n");
  });
  return { stdin, stdout, shown: () => shown.join("") };
}

describe("output of the past", () => {
  const QUERIES = "vim\x1b[6n\x1b[c\x1b]11;?\x07 was here\r\n";

  it("is shown, and its terminal queries are not answered; what the user types meanwhile is kept", async () => {
    const screen = terminal({ typed: "ls\x1b[A\r" });
    const { early, late } = await replay(QUERIES, screen);
    expect(early).toBe("ls\x1b[A\r");
    expect(screen.shown()).toContain(QUERIES);
    expect(screen.stdin.isPaused()).toBe(true);
    // From now on the program that runs asks, and hears.
    expect(late(Buffer.from("\x1b[24;80R"))).toBe("\x1b[24;80R");
  });

  it("does not wait forever for a terminal that answers nothing", async () => {
    expect((await replay(QUERIES, terminal({ answers: false }))).early).toBe("");
  });

  it("recognizes late replies, up to the last one", async () => {
    const { late } = await replay(QUERIES, terminal({ answers: false }));
    expect(late(Buffer.from("\x1b[24;80Rls\x1b[A"))).toBe("ls\x1b[A");
    expect(late(Buffer.from("\x1b[?62;22c\x1b[0n\r"))).toBe("\r");
    expect(late(Buffer.from("\x1b[24;80R"))).toBe("\x1b[24;80R");
  });

  it("keeps a character whose bytes lie on both sides of its end", async () => {
    const [before, after] = [Buffer.from("😀").subarray(0, 2), Buffer.from("😀").subarray(2)];
    const { early, late, rest } = await replay(QUERIES, terminal({ answers: false, typed: before }));
    expect([early, late(after), late(before), rest()]).toEqual(["", "😀", "", "\ufffd"]);
  });

  it("sends no query if the output has none, or without a terminal", async () => {
    const plain = terminal();
    expect((await replay("plain text\r\n", plain)).early).toBe("");
    expect(plain.shown()).toBe("plain text\r\n");
    const piped = terminal();
    piped.stdin.isTTY = false;
    expect((await replay(QUERIES, piped)).early).toBe("");
    expect(piped.shown()).toBe(QUERIES);
  });
});
