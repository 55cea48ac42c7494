import { expect, it } from "vitest";
import { z } from "zod";
import { readList } from "../../../src/app/hosts/list-reader.ts";
import { pagesOf } from "../../../src/contract/pages.ts";
import { ListPages } from "../../../src/daemon/lists/list-pages.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";

/** Some 13 pages. */
const ROWS = Array.from({ length: 1_500 }, (_, n) => `${n} ${"x".repeat(1_000)}`);

it("a list is read page by page to its end, then it is gone", async () => {
  const pages = new ListPages(new SimulatedClock());
  const asked: (string | null)[] = [];
  const request = (async (_name: string, { after }: { after: string | null }) => {
    asked.push(after);
    return pages.read(after);
  }) as never;
  const first = pages.of(ROWS);
  expect(await readList({ link: { request }, command: (send) => send("s") }, first, z.array(z.string()))).toEqual(ROWS);
  expect(asked.length).toBeGreaterThan(10);
  expect(() => pages.read(first.next)).toThrow(expect.objectContaining({ code: "not_found" }));
  expect(pages.of([])).toEqual({ data: Buffer.from("[]"), next: null });
});

it("lists that are not read to their end are removed after 30 s, and the oldest beyond 16", async () => {
  const clock = new SimulatedClock();
  const pages = new ListPages(clock);
  const [oldest, ...others] = Array.from({ length: 17 }, () => pages.of(ROWS).next);
  const gone = expect.objectContaining({ code: "not_found" });
  expect(() => pages.read(oldest ?? null)).toThrow(gone);
  for (const next of others) expect(pages.read(next).next).toBe(next);
  await clock.advance(30_000);
  for (const next of others) expect(() => pages.read(next)).toThrow(gone);
});

it("a list without an end is given up", async () => {
  const endless = pagesOf(async () => ({ next: "more" }));
  const read = async () => {
    for await (const _page of endless);
  };
  await expect(read()).rejects.toMatchObject({ code: "too_large" });
});
