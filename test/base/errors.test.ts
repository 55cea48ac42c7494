import { expect, it } from "vitest";
import { ERROR_CATALOGUE, ERROR_CODES, isErrorCode, MgrError, messageOf, wireCode } from "../../src/base/errors.ts";

it("the codes that clients may see are those of the protocol", () => {
  // docs/protocol.md, "Error codes".
  const documented =
    "bad_json bad_frame unknown_action bad_field too_large not_found conflict not_running host_unavailable out_of_scope timeout busy forbidden shutting_down internal";
  expect([...ERROR_CODES].sort()).toEqual(documented.split(" ").sort());
});

it("every code has a meaning, and is distinguished from other strings", () => {
  for (const [code, { meaning }] of Object.entries(ERROR_CATALOGUE)) {
    expect(meaning).not.toBe("");
    expect(isErrorCode(code)).toBe(true);
  }
  for (const other of ["", "nope", "constructor", "__proto__", "toString", 1, null, undefined]) expect(isErrorCode(other)).toBe(false);
});

it("codes between manager and host are translated for clients, foreign errors are internal", () => {
  for (const code of Object.keys(ERROR_CATALOGUE)) {
    if (!isErrorCode(code)) throw new Error(code);
    const seen = wireCode(new MgrError(code, "x"));
    expect(ERROR_CODES).toContain(seen);
    if (ERROR_CATALOGUE[code].wire) expect(seen).toBe(code);
  }
  expect(wireCode(new MgrError("stale_session", "x"))).toBe("host_unavailable");
  expect(wireCode(new MgrError("spawn_failed", "x"))).toBe("conflict");
  for (const foreign of [new TypeError("x"), "x", null, undefined, { code: "not_found" }]) expect(wireCode(foreign)).toBe("internal");
});

it("an error carries code, sentence, cause and details", () => {
  const cause = new Error("below");
  const error = new MgrError("conflict", "it runs", { cause, details: { run: 1 } });
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({ name: "MgrError", code: "conflict", message: "it runs", cause, details: { run: 1 } });
  expect(new MgrError("conflict", "it runs")).toMatchObject({ details: null });
  expect("cause" in new MgrError("conflict", "it runs")).toBe(false);
});

it("every thrown value has a message", () => {
  expect(messageOf(new Error("words"))).toBe("words");
  expect(messageOf("words")).toBe("words");
  expect(messageOf(undefined)).toBe("undefined");
});
