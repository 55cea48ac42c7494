import type { Envelope, LinkOperations } from "./broker-operations.ts";
import { type ControlLine, expect } from "./control-line.ts";

const NO_QUEUES: readonly string[] = [];

/** Executes an operation of links that is not followed by a message. Returns false for other operations. */
export function executeLinkLine(link: LinkOperations, operation: string, line: ControlLine): boolean {
  const { count } = line;
  switch (operation) {
    case "LS+":
      expect(count >= 2 && count <= 4);
      link.interest(line.word(1), count > 2 ? line.word(2) : null, count === 4 ? Math.max(1, line.number(3)) : 1);
      return true;
    case "LS-":
      expect(count === 2 || count === 3);
      link.disinterest(line.word(1), count === 3 ? line.word(2) : null);
      return true;
    case "INFO":
    case "-ERR":
    case "+OK":
      link.statusLine(operation, line.rest());
      return true;
    default:
      return false;
  }
}

/** Reads `LMSG subject [reply] size`, `LMSG subject | queue… size` or `LMSG subject + reply queue… size`; HMSG has two sizes. */
export function readLinkedEnvelope(line: ControlLine, headerBytes: number, size: number, end: number): Envelope {
  expect(end >= 2);
  const words = Array.from({ length: end - 2 }, (_, index) => line.word(index + 2));
  const [mark] = words;
  const isMarked = mark === "|" || mark === "+";
  expect(isMarked ? words.length > (mark === "+" ? 2 : 1) : words.length <= 1);
  const reply = mark === "+" ? (words[1] ?? null) : isMarked ? null : (mark ?? null);
  const queues = isMarked ? words.slice(mark === "+" ? 2 : 1) : NO_QUEUES;
  return { subject: line.word(1), reply, headerBytes, size, queues };
}
