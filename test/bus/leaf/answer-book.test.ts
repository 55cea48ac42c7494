import { expect, it } from "vitest";
import { AnswerBook } from "../../../src/bus/broker/leaf/answer-book.ts";
import type { Envelope } from "../../../src/bus/broker/parser/broker-operations.ts";

const message = (subject: string, reply: string | null = null, size = 10): Envelope => ({ subject, reply, headerBytes: 0, size });
const inbox = (number: number) => `_INBOX.x.${number}`;

it("answers are counted by the subject of their request, sent and received", () => {
  const book = new AnswerBook();
  book.receives(message("svc.add", inbox(1)));
  book.sends(message(inbox(1), null, 70));
  book.sends(message("svc.add", inbox(2)));
  book.receives(message(inbox(2), null, 30));
  expect(new Map(book.entries())).toEqual(new Map([["svc.add", { given: { msgs: 1, bytes: 70 }, received: { msgs: 1, bytes: 30 } }]]));
});

it("a request has one answer; an inbox that no request named, a message that asks for none, and the search for services have none", () => {
  const book = new AnswerBook();
  book.receives(message("svc.add", inbox(1)));
  for (const _ of [1, 2, 3]) book.sends(message(inbox(1)));
  book.sends(message(inbox(2)));
  book.receives(message("$SRV.INFO", inbox(3)));
  book.sends(message(inbox(3)));
  book.receives(message("svc.add", "not.an.inbox"));
  book.sends(message("not.an.inbox"));
  expect([...book.entries()]).toEqual([["svc.add", { given: { msgs: 1, bytes: 10 }, received: { msgs: 0, bytes: 0 } }]]);
});

it("an answer in the wrong direction is not counted", () => {
  const book = new AnswerBook();
  book.receives(message("svc.add", inbox(1)));
  book.receives(message(inbox(1)));
  expect([...book.entries()]).toEqual([]);
});

it("the oldest of 10,000 unanswered requests are dropped, and 1,000 subjects are counted", () => {
  const book = new AnswerBook();
  for (let number = 0; number <= 10_000; number++) book.receives(message("svc.add", inbox(number)));
  book.sends(message(inbox(0)));
  expect([...book.entries()]).toEqual([]);
  book.sends(message(inbox(1)));
  for (let number = 0; number < 1_500; number++) {
    book.receives(message(`svc.${number}`, inbox(number)));
    book.sends(message(inbox(number)));
  }
  const entries = new Map(book.entries());
  expect(entries.size).toBe(1_000);
  expect(entries.get("svc.add")?.given.msgs).toBe(1);
});
