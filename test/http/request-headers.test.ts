import fc from "fast-check";
import { expect, test } from "vitest";
import { rawHeaders } from "../../src/http/request/request-headers.ts";

/** Names as clients write them, of which some mean the same. */
const name = fc.constantFrom("host", "Host", "HOST", "cookie", "Cookie", "authorization", "Origin", "x-forwarded-proto");
const value = fc.constantFrom("a", "b=1", "c, d", "");

test("headers are read as by fetch's Headers: any case, repeated ones joined, cookies by a semicolon", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(name, value)), (lines) => {
      const judge = new Headers();
      for (const line of lines) judge.append(...line);
      const headers = rawHeaders({ rawHeaders: lines.flat() });
      for (const asked of ["host", "cookie", "authorization", "origin", "x-forwarded-proto", "accept"]) {
        expect(headers.get(asked)).toBe(judge.get(asked));
      }
    }),
    { interruptAfterTimeLimit: 5_000, markInterruptAsFailure: false },
  );
});
