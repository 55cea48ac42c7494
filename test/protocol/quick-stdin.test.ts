import fc from "fast-check";
import { expect, test } from "vitest";
import { HOST_REQUESTS } from "../../src/contract/messages.ts";
import { quickWrite } from "../../src/contract/quick-write.ts";
import { CLIENT_FRAMES } from "../../src/protocol/frames/frames.ts";
import { quickStdin } from "../../src/protocol/frames/quick-stdin.ts";

const LONG = { minLength: 200, maxLength: 300 };
/** Strings on both sides of every limit, and what is no string. */
const anything = fc.oneof(
  fc.string({ unit: "grapheme" }),
  fc.string({ ...LONG, unit: "binary" }),
  fc.constantFrom("", "1-1", "12-345", "1-", "x".repeat(64), "x".repeat(65), "x".repeat(21_845), "é".repeat(21_846), "x".repeat(65_537)),
  fc.jsonValue(),
);

/** An object as JSON gives it: mostly with `usual` keys, seldom with `unusual` ones, and with others. */
function objectWith(usual: readonly string[], unusual: readonly string[] = []) {
  const known = fc.tuple(
    ...usual.map((key) => fc.option(fc.record({ [key]: anything }), { freq: 9, nil: {} })),
    ...unusual.map((key) => fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: fc.record({ [key]: anything }) })),
    fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 2 }),
  );
  return known.map((parts) => JSON.parse(JSON.stringify(Object.assign({}, ...parts.reverse()))));
}

test("a send_stdin that is taken quickly is what the schema makes of it", () => {
  let taken = 0;
  const frames = objectWith(["name", "text"], ["reply", "request_id"]).map((frame) => ({ ...frame, type: "send_stdin" }));
  fc.assert(
    fc.property(frames, (frame) => {
      const quick = quickStdin(frame);
      if (quick === null) return;
      taken++;
      expect(CLIENT_FRAMES.send_stdin.schema.parse(frame)).toStrictEqual(quick);
    }),
    { numRuns: 2_000 },
  );
  expect(taken).toBeGreaterThan(50);
});

test("a key is taken quickly, other frames are not", () => {
  expect(quickStdin({ type: "send_stdin", name: "a", text: "k" })).toEqual({ type: "send_stdin", name: "a", text: "k" });
  expect(quickStdin({ type: "send_winch", name: "a", text: "k" })).toBeNull();
});

test("a write that is taken quickly is what the schema makes of it", () => {
  let taken = 0;
  const ids = fc.tuple(fc.nat(), fc.nat()).map(([epoch, n]) => `${epoch}-${n}`);
  const requests = fc
    .tuple(objectWith(["session", "run_id", "text"]), ids, fc.boolean())
    .map(([request, run_id, isRun]) => (isRun ? { ...request, run_id } : request));
  fc.assert(
    fc.property(fc.oneof({ weight: 9, arbitrary: requests }, { weight: 1, arbitrary: fc.jsonValue() }), (request) => {
      const quick = quickWrite(request);
      if (quick === null) return;
      taken++;
      expect(HOST_REQUESTS.write.request.parse(request)).toStrictEqual(quick);
    }),
    { numRuns: 2_000 },
  );
  expect(taken).toBeGreaterThan(50);
});
