import { expect, test } from "vitest";
import { Echo } from "../../../src/daemon/output/echo.ts";

test("a wait for an echo ends with the next output, within the same turn", async () => {
  const echo = new Echo();
  const done: number[] = [];
  for (const one of [1, 2]) void echo.next().then(() => done.push(one));
  await Promise.resolve();
  expect(done).toEqual([]);
  echo.come();
  await Promise.resolve();
  expect(done).toEqual([1, 2]);
});

test("a program that does not echo delays nothing", async () => {
  const echo = new Echo();
  echo.come();
  await expect(echo.next()).resolves.toBeUndefined();
  await expect(echo.next()).resolves.toBeUndefined();
});
