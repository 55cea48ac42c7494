import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isErrorCode } from "../../src/base/errors.ts";
import { type Decoded, decodeFrame, MAX_FRAME_BYTES } from "../../src/protocol/frames/decode.ts";
import { encodeFrame } from "../../src/protocol/frames/encode.ts";
import { CLIENT_FRAMES, type ClientFrameType, MANAGER_FRAMES } from "../../src/protocol/frames/frames.ts";
import { anyText } from "../support/any-text.ts";
import { expectCount } from "./counts.ts";
import { validFrames } from "./valid-frames.ts";

const TYPES = Object.keys(CLIENT_FRAMES) as ClientFrameType[];
const decode = (frame: unknown): Decoded => decodeFrame(JSON.stringify(frame));

/** What is wrong with an answer to a client frame, as its own schema sees it. */
function expectAnswer(decoded: Decoded): void {
  if (decoded.ok) {
    expect(Object.hasOwn(CLIENT_FRAMES, decoded.frame.type)).toBe(true);
    return;
  }
  const sent = JSON.parse(encodeFrame(decoded.error).toString());
  expect(MANAGER_FRAMES[decoded.error.type].schema.safeParse(sent).error).toBeUndefined();
  expect(isErrorCode(sent.code)).toBe(true);
  expect(sent.message).toMatch(/^.{5,600}$/su);
}

describe("a frame that is not one", () => {
  it.each(["", "{", "nul", '{"type":"get_snapshot"', "\ufeff{}", "{'type':1}", "NaN", "\0"])("%j is bad_json", (text) => {
    expect(decodeFrame(text)).toMatchObject({ ok: false, error: { type: "error", code: "bad_json" } });
  });

  it.each([
    "null",
    "1",
    '"get_snapshot"',
    "true",
    "[]",
    '[{"type":"get_snapshot"}]',
    "{}",
    '{"type":1}',
    '{"type":null}',
    '{"type":["x"]}',
  ])("%j is bad_frame", (text) => {
    expect(decodeFrame(text)).toMatchObject({ ok: false, error: { type: "error", code: "bad_frame" } });
  });

  it("without a type still gets its request_id back", () => {
    expect(decode({ request_id: "r" })).toMatchObject({ error: { code: "bad_frame", request_id: "r" } });
  });

  it("of more than 1 MiB of UTF-8 is too_large, of 1 MiB is not", () => {
    const padded = (bytes: number) => `{"type":"get_snapshot","x":"${"x".repeat(bytes - 32)}"}`;
    const full = padded(MAX_FRAME_BYTES).padEnd(MAX_FRAME_BYTES, " ");
    expect(full.length).toBe(MAX_FRAME_BYTES);
    expect(decodeFrame(full).ok).toBe(true);
    expect(decodeFrame(`${full} `)).toMatchObject({ error: { code: "too_large" } });
    expect(decodeFrame(full.replace("xx", "é"))).toMatchObject({ ok: true });
    expect(decodeFrame(full.replace("x", "é"))).toMatchObject({ error: { code: "too_large" } });
  });
});

describe("a field of the wrong kind", () => {
  const WRONG = [null, true, 1.5, -1, 2 ** 60, "", "x\0", "x".repeat(200_000), [], [1], [null], {}, { a: 1 }];

  /** The value with each of its leaves and branches replaced by `wrong`, one at a time. */
  function* spoiled(value: unknown, wrong: unknown): Generator<unknown> {
    yield wrong;
    if (value === null || typeof value !== "object") return;
    for (const [key, inner] of Object.entries(value)) {
      for (const bad of spoiled(inner, wrong)) yield Array.isArray(value) ? value.with(Number(key), bad) : { ...value, [key]: bad };
    }
  }

  it.each(TYPES)("of %s is reported in a message of our own, never in that of the schema library", (type) => {
    const fields = [...Object.keys(CLIENT_FRAMES[type].fields), "request_id"];
    const valid: Readonly<Record<string, unknown>> = { ...validFrames[type] };
    for (const field of fields)
      for (const wrong of WRONG)
        for (const value of spoiled(valid[field], wrong)) {
          const decoded = decode({ ...valid, [field]: value });
          if (decoded.ok) continue;
          expectAnswer(decoded);
          expect(decoded.error.message).not.toMatch(/Invalid|expected|received|Too (big|small)|Unrecognized/);
        }
  });
});

describe("an unknown type", () => {
  it.each(["nonsense", "__proto__", "constructor", "toString", "hasOwnProperty", "", "GET_SNAPSHOT", "snapshot"])("%j is named", (type) => {
    expect(decodeFrame(`{"type":${JSON.stringify(type)},"request_id":7}`)).toEqual({
      ok: false,
      error: { type: "error", code: "unknown_action", message: `unknown action '${type}'`, request_type: type, request_id: 7 },
    });
  });

  it("is shortened and made visible when it is long or not printable, and not cut within a character", () => {
    const long = decode({ type: "😀".repeat(10_000) });
    expect(long).toMatchObject({ error: { message: `unknown action '${"😀".repeat(80)}…'` } });
    expect(long).not.toHaveProperty("error.request_type");
    expect(decode({ type: "a\n\u202e\0" })).toMatchObject({ error: { message: "unknown action 'a\\n\\u202e\\x00'" } });
  });
});

describe("a field that is wrong", () => {
  it("is named, with the expected value", () => {
    expect(decode({ type: "send_winch", name: "a", rows: 0, cols: 80, request_id: 1 })).toEqual({
      ok: false,
      error: {
        type: "error",
        code: "bad_field",
        message: "'rows' of 'send_winch' must be an integer from 1 to 65535.",
        request_type: "send_winch",
        request_id: 1,
      },
    });
  });

  it("that is missing is reported", () => {
    expect(decode({ type: "start_process" })).toMatchObject({
      error: { message: "'name' of 'start_process' is missing: it must be a string of 1 to 255 characters." },
    });
  });

  it("within an array is named by its path", () => {
    expect(decode({ type: "subscribe_process_output", patterns: ["a", 7] })).toMatchObject({
      error: { message: expect.stringMatching(/^'patterns\[1\]' of 'subscribe_process_output' must be/) },
    });
  });

  it("is answered by the frame's own result once the fields that name its subject could be read", () => {
    const asked = { type: "set_process_attribute", name: "a", attribute: "colour", value: "red", request_id: "r" };
    expect(decode(asked)).toMatchObject({
      error: { type: "process_attribute_set_result", ok: false, code: "bad_field", name: "a", attribute: "colour", request_id: "r" },
    });
    expect(decode({ ...asked, name: 7 })).toMatchObject({ error: { type: "error", code: "bad_field", request_id: "r" } });
    expect(decode({ type: "dump_startup_commands", name: "" })).toMatchObject({
      error: { type: "process_startup_commands", ok: false, name: "", code: "bad_field" },
    });
    expect(decode({ type: "reload_config", dry_run: 1 })).toMatchObject({ error: { type: "config_reload_result", ok: false } });
  });

  it("is not repeated in the answer when it is long", () => {
    const { error } = decode({ type: "dump_startup_commands", name: "x".repeat(100_000) }) as Decoded & { ok: false };
    expect(error.type).toBe("error");
    expect(JSON.stringify(error).length).toBeLessThan(1_000);
  });

  it("does not let unknown keys of the client into the answer", () => {
    const { error } = decode({
      type: "reload_config",
      dry_run: 1,
      problems: [{ path: "x", line: 1, column: 1, message: "x" }],
    }) as Decoded & { ok: false };
    expect(error).not.toHaveProperty("problems");
  });

  it("named request_id is not echoed", () => {
    const decoded = decode({ type: "get_snapshot", request_id: 1.5 });
    expect(decoded).toMatchObject({ error: { code: "bad_field", message: expect.stringMatching(/^'request_id' of/) } });
    expect(decoded).not.toHaveProperty("error.request_id");
  });
});

describe("limits of fields", () => {
  it.each([
    ["get_process_output", "lines", 100_000],
    ["request_logs", "limit", 100_000],
  ])("%s.%s above its maximum is taken as the maximum, below 1 it is refused", (type, field, maximum) =>
    expectCount({ type, name: "a" }, field, maximum),
  );

  it("stdin is measured in bytes of UTF-8", () => {
    const send = (text: string) => decode({ type: "send_stdin", name: "a", text }).ok;
    expect(send("x".repeat(65_536))).toBe(true);
    expect(send("x".repeat(65_537))).toBe(false);
    expect(send("é".repeat(32_768))).toBe(true);
    expect(send(`${"é".repeat(32_768)}x`)).toBe(false);
  });

  it("names and patterns are measured in characters", () => {
    expect(decode({ type: "start_process", name: "😀".repeat(255) }).ok).toBe(true);
    expect(decode({ type: "start_process", name: "😀".repeat(256) }).ok).toBe(false);
    expect(decode({ type: "subscribe_process_output", patterns: ["😀".repeat(1_024)] }).ok).toBe(true);
    expect(decode({ type: "subscribe_process_output", patterns: ["x".repeat(1_025)] }).ok).toBe(false);
    expect(decode({ type: "subscribe_process_output", patterns: Array.from({ length: 21_001 }, () => "x") }).ok).toBe(false);
  });

  it("which values an attribute takes depends on the attribute", () => {
    const set = (attribute: string, value: unknown) => decode({ type: "set_process_attribute", name: "a", attribute, value }).ok;
    for (const value of ["gdb", "", null]) expect(set("start_tool", value)).toBe(true);
    for (const value of [true, 1]) expect(set("start_tool", value)).toBe(false);
    for (const value of [true, false, "", null]) expect(set("svc_debug", value)).toBe(true);
    for (const value of ["true", 1]) expect(set("svc_debug", value)).toBe(false);
  });
});

describe("hostile frames", () => {
  it("deep nesting is answered, in known keys, unknown keys and values of any type", () => {
    const deep = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;
    for (const text of [
      deep,
      `{"type":${deep}}`,
      `{"type":"start_process","name":${deep}}`,
      `{"type":"subscribe_process_output","patterns":${deep}}`,
      `{"type":"get_snapshot","request_id":${deep}}`,
      `{"type":"set_process_attribute","name":"a","attribute":"svc_debug","value":${deep}}`,
    ]) {
      const decoded = decodeFrame(text);
      expect(decoded.ok).toBe(false);
      expectAnswer(decoded);
    }
    expect(decodeFrame(`{"type":"get_snapshot","x":${deep}}`)).toEqual({ ok: true, frame: { type: "get_snapshot" } });
  });

  it("keys such as __proto__ reach no prototype, and are accepted as names", () => {
    const decoded = decodeFrame(
      '{"type":"start_process","name":"__proto__","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
    );
    expect(decoded).toEqual({ ok: true, frame: { type: "start_process", name: "__proto__" } });
    expect(Object.getPrototypeOf((decoded as Decoded & { ok: true }).frame)).toBe(Object.prototype);
    expect({}).not.toHaveProperty("polluted");
    expect(decodeFrame('{"__proto__":{"type":"get_snapshot"}}')).toMatchObject({ error: { code: "bad_frame" } });
    expect(decodeFrame('{"type":"start_process","__proto__":{"name":"a"}}')).toMatchObject({ error: { code: "bad_field" } });
  });
});

const BAD = [null, true, -1, 1.5, "", [], {}, "x".repeat(200_000), "\0", "__proto__", 1e300, "\ud800", [[]], [null], { __proto__: null }];

describe.each(TYPES)("%s", (type) => {
  const valid = validFrames[type];

  it("is decoded to itself, unknown keys dropped", () => {
    expect(decode({ ...valid, unheard_of: 1, request_id: 5 })).toEqual({ ok: true, frame: { ...valid, request_id: 5 }, request_id: 5 });
  });

  it("with any one field absent or replaced by something odd has an answer of the right form", () => {
    for (const field of ["request_id", ...Object.keys(CLIENT_FRAMES[type].fields)]) {
      const { [field]: _left, ...rest } = valid as Record<string, unknown>;
      expectAnswer(decode(rest));
      for (const bad of BAD) expectAnswer(decode({ ...rest, [field]: bad }));
    }
  });
});

describe("whatever is sent", () => {
  it("any text has an answer of the right form", () => {
    fc.assert(fc.property(fc.oneof(anyText(), fc.json()), (text) => expectAnswer(decodeFrame(text))));
  });

  it("any object with a known type has an answer of the right form, and the request_id back", () => {
    const keys = [...new Set(TYPES.flatMap((type) => Object.keys(CLIENT_FRAMES[type].fields)))];
    const fields = fc.dictionary(fc.constantFrom(...keys, "__proto__"), fc.oneof(fc.jsonValue(), fc.constantFrom(...BAD)), { maxKeys: 6 });
    fc.assert(
      fc.property(fc.constantFrom(...TYPES), fields, (type, some) => {
        const decoded = decode({ ...some, type, request_id: "id" });
        expectAnswer(decoded);
        expect(decoded.ok ? decoded.request_id : decoded.error.request_id).toBe("id");
      }),
      { numRuns: 1_000 },
    );
  });
});
