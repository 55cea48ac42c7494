import { expect, test } from "vitest";
import { isTerminalReply } from "../../../web/src/terminal/input/terminal-replies.ts";

test.each([
  "\x1b[?1;2c",
  "\x1b[>0;276;0c",
  "\x1b[0n",
  "\x1b[24;80R",
  "\x1b[?12;2$y",
  "\x1b[8;24;80t",
  "\x1b]11;rgb:1010/1616/1d1d\x07",
  "\x1b]4;1;rgb:ff/00/00\x1b\\",
  "\x1bP1$r0m\x1b\\",
  "\x1b[?1;2c\x1b[1;1R",
])("%j is a terminal's own answer", (text) => {
  expect(isTerminalReply(text)).toBe(true);
});

test.each(["", "a", "\r", "\x1b", "\x1b[A", "\x1bOP", "\x1b[3~", "\x1b[200~pasted\x1b[201~", "\x1b[<0;12;3M", "c\x1b[0n", "\x1b[0nls\r"])(
  "%j is typed by a person",
  (text) => {
    expect(isTerminalReply(text)).toBe(false);
  },
);
