import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ProtocolViolation } from "../../../src/bus/broker/broker-protocol.ts";
import type { LinkOperations } from "../../../src/bus/broker/parser/broker-operations.ts";
import { BrokerParser } from "../../../src/bus/broker/parser/broker-parser.ts";

const LIMITS = { maxPayload: 1_000, maxControlLine: 128 };

/** What the parser says about a stream that comes in the given chunks; a violation is its last entry. */
function parse(chunks: Buffer[], limits = LIMITS, isLink = false): unknown[] {
  const said: unknown[] = [];
  const link: LinkOperations = {
    interest: (...interest) => said.push(["interest", ...interest]),
    disinterest: (...interest) => said.push(["disinterest", ...interest]),
    statusLine: (...text) => said.push(["told", ...text]),
  };
  const parser = new BrokerParser(
    {
      link: isLink ? link : null,
      announce: () => {},
      connect: (json) => said.push(["connect", json]),
      ping: () => said.push(["ping"]),
      pong: () => said.push(["pong"]),
      subscribe: (...subscription) => said.push(["sub", ...subscription]),
      unsubscribe: (...subscription) => said.push(["unsub", ...subscription]),
      publish: (envelope, message) => said.push(["pub", { ...envelope }, message.whole().toString("hex")]),
    },
    limits,
  );
  try {
    for (const chunk of chunks) for (let position = 0; position < chunk.length; ) position = parser.step(chunk, position);
  } catch (error) {
    if (!(error instanceof ProtocolViolation)) throw error;
    said.push(error.message);
  }
  return said;
}

const parseText = (text: string) => parse([Buffer.from(text, "latin1")]);

function split(bytes: Buffer, cuts: number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  return [0, ...places].map((start, index) => bytes.subarray(start, places[index] ?? bytes.length));
}

const token = fc.stringMatching(/^[A-Za-z0-9_$-]{1,8}$/);
const subject = fc.array(token, { minLength: 1, maxLength: 4 }).map((tokens) => tokens.join("."));
const payload = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
const space = fc.constantFrom(" ", "\t", "   ");
const ending = fc.constantFrom("\r\n", "\n");

const operation = fc.oneof(
  fc.record({ subject, reply: fc.option(subject), payload, space, ending }).map((one) => {
    const words = ["PUB", one.subject, ...(one.reply === null ? [] : [one.reply]), `${one.payload.length}`];
    return {
      bytes: Buffer.concat([Buffer.from(words.join(one.space) + one.ending), one.payload, Buffer.from("\r\n")]),
      said: [
        "pub",
        { subject: one.subject, reply: one.reply, headerBytes: 0, size: one.payload.length },
        `${one.payload.toString("hex")}0d0a`,
      ],
    };
  }),
  fc.record({ word: fc.constantFrom("hpub", "HPUB"), subject, headers: payload, payload, ending }).map((one) => {
    const body = Buffer.concat([one.headers, one.payload]);
    return {
      bytes: Buffer.concat([
        Buffer.from(`${one.word} ${one.subject} ${one.headers.length} ${body.length}${one.ending}`),
        body,
        Buffer.from("\r\n"),
      ]),
      said: [
        "pub",
        { subject: one.subject, reply: null, headerBytes: one.headers.length, size: body.length },
        `${body.toString("hex")}0d0a`,
      ],
    };
  }),
  fc.record({ subject, queue: fc.option(token), sid: token, space, ending }).map((one) => ({
    bytes: Buffer.from(["SUB", one.subject, ...(one.queue === null ? [] : [one.queue]), one.sid].join(one.space) + one.ending),
    said: ["sub", one.subject, one.queue, one.sid],
  })),
  fc
    .record({ sid: token, max: fc.nat(1_000) })
    .map(({ sid, max }) => ({ bytes: Buffer.from(`UNSUB ${sid} ${max}\r\n`), said: ["unsub", sid, max] })),
  fc.constant({ bytes: Buffer.from("PING\r\n"), said: ["ping"] }),
  fc.constant({ bytes: Buffer.from("pong\r\n"), said: ["pong"] }),
  fc.constant({ bytes: Buffer.from('CONNECT {"name":"grün x"}\r\n'), said: ["connect", '{"name":"grün x"}'] }),
);

describe("the broker's parser", () => {
  it("reads the same operations however the stream is cut", () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 12 }), fc.array(fc.nat(), { maxLength: 30 }), (operations, cuts) => {
        const bytes = Buffer.concat(operations.map((one) => one.bytes));
        expect(parse(split(bytes, cuts))).toEqual(operations.map((one) => one.said));
      }),
      { numRuns: 300 },
    );
  });

  it("reads the same operations byte by byte", () => {
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 4 }), (operations) => {
        const bytes = Buffer.concat(operations.map((one) => one.bytes));
        expect(parse(Array.from(bytes, (_, index) => bytes.subarray(index, index + 1)))).toEqual(operations.map((one) => one.said));
      }),
      { numRuns: 50 },
    );
  });

  it("reads messages of another broker however they are cut, and those of clients from clients only", () => {
    const messages = [
      ["LMSG a.b 2\r\nhi", { subject: "a.b", reply: null, headerBytes: 0, size: 2, queues: [] }],
      ["HMSG a.b 12 14\r\nNATS/1.0\r\n\r\nhi", { subject: "a.b", reply: null, headerBytes: 12, size: 14, queues: [] }],
      ["LMSG a.b re 2\r\nhi", { subject: "a.b", reply: "re", headerBytes: 0, size: 2, queues: [] }],
      ["LMSG a.b | q r 2\r\nhi", { subject: "a.b", reply: null, headerBytes: 0, size: 2, queues: ["q", "r"] }],
      ["HMSG a.b + re q 12 14\r\nNATS/1.0\r\n\r\nhi", { subject: "a.b", reply: "re", headerBytes: 12, size: 14, queues: ["q"] }],
    ] as const;
    const bytes = Buffer.from(messages.map(([text]) => `${text}\r\n`).join(""));
    const envelopes = messages.map(([, envelope]) => envelope);
    const heard = (chunks: Buffer[]) => (parse(chunks, LIMITS, true) as unknown[][]).map(([, envelope]) => envelope);
    expect(heard([bytes])).toEqual(envelopes);
    expect(heard(Array.from(bytes, (_, index) => bytes.subarray(index, index + 1)))).toEqual(envelopes);
    for (const text of ["PUB a 2\r\nhi\r\n", "HPUB a 0 2\r\nhi\r\n", "MSG a 2\r\nhi\r\n"])
      expect(parse([Buffer.from(text)], LIMITS, true)).toEqual(["Unknown Protocol Operation"]);
    for (const text of ["LMSG a 2\r\nhi\r\n", "HMSG a 0 2\r\nhi\r\n", "MSG a 2\r\nhi\r\n"])
      expect(parseText(text)).toEqual(["Unknown Protocol Operation"]);
  });

  it("gives the same result for any bytes, however they are cut, and throws nothing but protocol violations", () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      operation.map((one) => one.bytes),
      fc.constantFrom("PUB a -1\r\n", "SUB\r\n", "PUB a 1e3\r\n", "\r\n").map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), fc.array(fc.nat(), { maxLength: 10 }), (pieces, cuts) => {
        const bytes = Buffer.concat(pieces);
        expect(parse(split(bytes, cuts))).toEqual(parse([bytes]));
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ["GET / HTTP/1.1\r\n", "Unknown Protocol Operation"],
    ["\r\n", "Unknown Protocol Operation"],
    ["PUBX a 1\r\n", "Unknown Protocol Operation"],
    ["PUB a\r\n", "Parser Error"],
    ["PUB a b c 1\r\n", "Parser Error"],
    ["PUB a -1\r\n", "Parser Error"],
    ["PUB a 1x\r\n", "Parser Error"],
    ["PUB a 1\r\nxy\r\n", "Parser Error"],
    ["HPUB a 5 4\r\n", "Parser Error"],
    ["HPUB a 4\r\n", "Parser Error"],
    ["SUB a\r\n", "Parser Error"],
    ["SUB a b c d\r\n", "Parser Error"],
    ["UNSUB\r\n", "Parser Error"],
    ["UNSUB 1 x\r\n", "Parser Error"],
    ["PUB a 1001\r\n", "Maximum Payload Violation"],
    ["PUB a 99999999999999999999\r\n", "Parser Error"],
    [`SUB ${"a".repeat(200)} 1\r\n`, "Maximum Control Line Exceeded"],
    [`SUB ${"a".repeat(200)}`, "Maximum Control Line Exceeded"],
  ])("refuses %j as '%s'", (text, violation) => {
    expect(parseText(text)).toEqual([violation]);
  });

  it("accepts a payload of exactly the limit", () => {
    expect(parseText(`PUB a 1000\r\n${"x".repeat(1_000)}\r\n`)).toHaveLength(1);
  });

  it("passes large messages on as they arrive, in few pieces or in a thousand, cut anywhere", () => {
    const limits = { maxPayload: 1024 * 1024, maxControlLine: 128 };
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 15_000, max: 40_000 }), { minLength: 1, maxLength: 3 }),
        fc.array(fc.nat(120_000), { maxLength: 100 }),
        fc.nat(200),
        (sizes, cuts, shift) => {
          const messages = sizes.map((size) => Buffer.alloc(size, `${size} `));
          const bytes = Buffer.concat(
            messages.flatMap((body) => [Buffer.from(`PUB a ${body.length}\r\n`), body, Buffer.from("\r\nPING\r\n")]),
          );
          const many = Array.from({ length: shift }, (_, n) => n * 7 + shift);
          const expected = messages.flatMap((body) => [
            ["pub", { subject: "a", reply: null, headerBytes: 0, size: body.length }, `${body.toString("hex")}0d0a`],
            ["ping"],
          ]);
          expect(parse(split(bytes, [...cuts, ...many]), limits)).toEqual(expected);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("refuses a large message that does not end with its line, wherever it was cut", () => {
    const limits = { maxPayload: 1024 * 1024, maxControlLine: 128 };
    for (const ending of ["\r\r", "\n\n", "x\n", "\rx"]) {
      const bytes = Buffer.from(`PUB a 20000\r\n${"x".repeat(20_000)}${ending}`);
      for (const cut of [1, 2, 3, 100]) expect(parse(split(bytes, [5_000, bytes.length - cut]), limits)).toEqual(["Parser Error"]);
    }
  });
});
