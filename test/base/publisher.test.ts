import { expect, it } from "vitest";
import { Publisher } from "../../src/base/publisher.ts";

it("a publisher delivers what a listener publishes after the current message, to all listeners", () => {
  const publisher = new Publisher<string>(() => {});
  const got: string[] = [];
  publisher.subscribe((message) => {
    got.push(`1 ${message}`);
    if (message === "a") publisher.publish("b");
  });
  const unsubscribe = publisher.subscribe((message) => got.push(`2 ${message}`));
  publisher.publish("a");
  unsubscribe();
  publisher.publish("c");
  expect(got).toEqual(["1 a", "2 a", "1 b", "2 b", "1 c"]);
});

it("a publisher reports a listener that throws, and calls the others", () => {
  const errors: unknown[] = [];
  const publisher = new Publisher<string>((error) => errors.push(error));
  const got: string[] = [];
  publisher.subscribe(() => {
    throw new Error("no");
  });
  publisher.subscribe((message) => got.push(message));
  publisher.publish("a");
  expect([got, errors]).toEqual([["a"], [new Error("no")]]);
});
