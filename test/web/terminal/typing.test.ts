import { expect, test } from "vitest";
import { MAX_PIECE_CHARACTERS } from "../../../src/base/text/text-pieces.ts";
import { inOrder } from "../../../web/src/terminal/input/typing.ts";

/** What was sent and how it is answered, one after the other. */
function rig() {
  const sent: string[] = [];
  const answers: ((taken: boolean) => void)[] = [];
  const type = inOrder((text: string, _: null) => {
    sent.push(text);
    return new Promise<boolean>((answer) => answers.push(answer));
  });
  /** Answers what was sent first, and lets everything happen that follows. */
  const answer = async (taken: boolean) => {
    await new Promise((done) => setImmediate(done));
    answers.shift()?.(taken);
    await new Promise((done) => setImmediate(done));
  };
  return { sent, answer, type: (text: string) => type(text, null) };
}

test("keys are sent without waiting for answers", () => {
  const { sent, type } = rig();
  for (const key of "abc") type(key);
  expect(sent).toEqual(["a", "b", "c"]);
});

test("a long text is sent in pieces, and what is typed after it follows it", async () => {
  const { sent, answer, type } = rig();
  const text = "0123456789".repeat(4_000);
  type(text);
  type("after");
  await answer(true);
  expect(sent.join("")).toBe(text.slice(0, 2 * MAX_PIECE_CHARACTERS));
  for (let pieces = 0; pieces < 3; pieces++) await answer(true);
  expect(sent.join("")).toBe(`${text}after`);
  type("a");
  type("b");
  expect(sent.slice(-2)).toEqual(["a", "b"]);
});

test("a long text has no gap: after a refusal its rest is not sent", async () => {
  const { sent, answer, type } = rig();
  type("x".repeat(40_000));
  type("after");
  await answer(true);
  await answer(false);
  expect(sent.map(({ length }) => length)).toEqual([MAX_PIECE_CHARACTERS, MAX_PIECE_CHARACTERS, 5]);
});

test("a long text is not cut within a character", async () => {
  const { sent, answer, type } = rig();
  const text = `x${"😀".repeat(9_000)}`;
  type(text);
  await answer(true);
  expect(sent.map((piece) => Buffer.from(piece).toString() === piece)).toEqual([true, true]);
  expect(sent.join("")).toBe(text);
});
