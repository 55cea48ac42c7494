import { describe, expect, it } from "vitest";
import { ForegroundOutput } from "../../../src/cli/commands/instance/foreground-output.ts";
import type { Printer } from "../../../src/cli/commands/instance/printer.ts";
import { remaining } from "../../../src/cli/commands/instance/stop-progress.ts";
import { NamedLines } from "../../../src/cli/output/named-lines.ts";
import { OutputPiece } from "../../../src/transport/output/output-piece.ts";

const lines = (isFiltered = true) => new NamedLines({ names: ["db", "sim/world"], isFiltered });

describe("output of several processes", () => {
  it("is printed in whole lines, each with its name; names are aligned by columns", () => {
    const output = lines();
    expect(output.write("db", "one\r\ntw")).toBe("db        | one\n");
    expect(output.write("sim/world", "x\n")).toBe("sim/world | x\n");
    expect(output.write("db", "o\n\nrest")).toBe("db        | two\ndb        | \n");
    expect(output.write("日本", "wide\n")).toBe("日本      | wide\n");
    expect(output.end()).toBe("db        | rest\n");
  });

  it("has only the newest text of a progress bar, and without a terminal no colours", () => {
    expect(lines().write("db", "10%\r20%\r30%\r\n\x1b[31mred\x1b[0m\x1b[K\n\x1b]0;title\x07x\n")).toBe(
      "db        | 30%\ndb        | red\ndb        | x\n",
    );
  });

  it("is unfiltered where that is wanted", () => expect(lines(false).write("db", "\x1b[31mred\r\n")).toBe("db        | \x1b[31mred\n"));

  it("does not hold back a line that has no end", () => {
    const output = lines();
    expect(output.write("db", "x".repeat(65_537))).toHaveLength(65_537 + "db        | \n".length);
    expect(output.end()).toBe("");
  });
});

const piece = (text: string, skipped = 0) => new OutputPiece({ name: "db", streamId: "s", offset: 0, data: Buffer.from(text), skipped });

it("mgr up accepts no more output than it can print, reports what was skipped, and continues when there is room", async () => {
  let printed = "";
  let waiting = 0;
  const drains: (() => void)[] = [];
  const printer = {
    get waiting() {
      return waiting;
    },
    print(text: string) {
      printed += text;
      waiting += text.length;
    },
    drained: () => new Promise<void>((resolve) => drains.push(resolve)),
  };
  const output = new ForegroundOutput(printer as unknown as Printer, ["db"]);
  const roomAgain = new Promise<void>((resolve) => output.begin(resolve));
  expect(output.isFull).toBe(false);
  output.output(piece(`${"x".repeat(60_000)}\n`.repeat(5), 7));
  expect(printed).toMatch(/^db \| \(7 bytes skipped/);
  expect([output.isFull, output.room]).toEqual([true, 0]);
  waiting = 0;
  drains[0]?.();
  await roomAgain;
  expect(output.room).toBeGreaterThan(0);
});

describe("a stop waits", () => {
  const is = (name: string, state: string, pid: number | null = 1) => ({ name, state, pid });
  it.each([
    [[is("a", "stopped", null)], ""],
    [[is("a", "started")], ""],
    [[is("a", "stopping"), is("b", "stopping")], "waiting for 'a', 'b' to end"],
    [[is("a", "stopping"), is("b", "ready"), is("c", "stopped", null)], "waiting for 'a' to end; 1 more will be stopped after that"],
  ])("%j", (processes, sentence) => expect(remaining(processes)).toBe(sentence));
});
