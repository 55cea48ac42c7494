import { expect, it } from "vitest";
import { SerialQueue } from "../../../src/base/timing/serial-queue.ts";

it("a serial queue runs work one at a time, in order, and continues after a failure", async () => {
  const queue = new SerialQueue();
  const order: string[] = [];
  const work = (name: string, fails = false) =>
    queue.run(async () => {
      order.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      order.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    });
  const [first, second, third] = [work("a"), work("b", true), work("c")];
  await expect(second).rejects.toThrow("b");
  expect(await Promise.all([first, third])).toEqual(["a", "c"]);
  expect(order).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
  expect(queue.isEmpty).toBe(true);
});

it("a serial queue refuses more than its limit as busy, and has room again afterwards", async () => {
  const queue = new SerialQueue({ max: 2, busy: "try again" });
  const running = [queue.run(() => 1), queue.run(() => 2)];
  await expect(queue.run(() => 3)).rejects.toMatchObject({ code: "busy", message: "try again" });
  expect(await Promise.all(running)).toEqual([1, 2]);
  expect(await queue.run(() => 4)).toBe(4);
});
