import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readInfo } from "../../../../web/src/features/displays/display-info.ts";
import { keysymOf, strokesOf } from "../../../../web/src/features/displays/keysyms.ts";
import { OwnSizes } from "../../../../web/src/features/displays/own-sizes.ts";
import { typedDifference } from "../../../../web/src/features/displays/typed-text.ts";

describe("keys", () => {
  test("have the codes of keysymdef.h", () => {
    const codes = { a: 0x61, " ": 0x20, é: 0xe9, "€": 0x10020ac, "😀": 0x101f600, Enter: 0xff0d, "\n": 0xff0d, Delete: 0xffff };
    for (const [key, code] of Object.entries(codes)) expect(keysymOf(key), key).toBe(code);
  });

  test("held together are released in reverse order", () => {
    const [control, c] = [keysymOf("Control"), keysymOf("c")];
    expect(strokesOf(["Control", "c"])).toEqual([
      { keysym: control, down: true },
      { keysym: c, down: true },
      { keysym: c, down: false },
      { keysym: control, down: false },
    ]);
  });
});

describe("what a phone's keyboard typed", () => {
  test.each([
    ["ab", "abc", 0, "c"],
    ["ab", "a", 1, ""],
    ["teh", "the", 2, "he"],
    ["x😀", "x", 1, ""],
    ["", "hi\n", 0, "hi\n"],
  ])("%j to %j", (before, after, backspaces, text) => {
    expect(typedDifference(before, after)).toEqual({ backspaces, text });
  });

  test("turns the old text into the new one", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" }), (before, after) => {
        const { backspaces, text } = typedDifference(before, after);
        const kept = [...before].slice(0, [...before].length - backspaces).join("");
        expect(kept + text).toBe(after);
      }),
    );
  });
});

describe("the size of a display", () => {
  test("belongs to another viewer once it is one that this window never had", () => {
    const sizes = new OwnSizes();
    sizes.adopt(800, 600);
    sizes.resized(900.6, 600);
    // The answers may come late.
    expect(sizes.shown(800, 600)).toBe(false);
    expect(sizes.shown(900, 600)).toBe(false);
    expect(sizes.isOwn).toBe(true);
    expect(sizes.shown(390, 700)).toBe(true);
    expect(sizes.isOwn).toBe(false);
    // Of a size that is another's nothing is taken away.
    expect(sizes.shown(391, 700)).toBe(false);
  });

  test("belongs to another viewer, also if this window had it before that viewer took over", () => {
    const sizes = new OwnSizes();
    sizes.adopt(800, 600);
    sizes.shown(390, 700);
    sizes.adopt(1_000, 600);
    expect(sizes.shown(800, 600)).toBe(true);
  });
});

describe("the answer of /mgr/vnc/info", () => {
  const running = { ok: true, ready: true, websocket_path: "/mgr/vnc/ws", process: "displays/ann", display_name: ":10" };

  test("names the address of a display that is ready", () => {
    expect(readInfo(200, JSON.stringify(running))).toEqual({
      ok: true,
      ready: true,
      path: "/mgr/vnc/ws",
      process: "displays/ann",
      name: ":10",
    });
  });

  test("is requested again while the display starts or its process does not run, not for a session that is not configured", () => {
    expect(readInfo(200, JSON.stringify({ ...running, ready: false }))).toMatchObject({ ok: true, ready: false });
    expect(readInfo(409, '{"ok":false,"message":"it does not run"}')).toEqual({ ok: false, message: "it does not run", isFinal: false });
    expect(readInfo(503, '{"ok":false,"message":"install it"}')).toMatchObject({ ok: false, isFinal: false });
    expect(readInfo(404, '{"ok":false,"message":"no such session"}')).toEqual({ ok: false, message: "no such session", isFinal: true });
  });

  test("with another address is refused, and one that is not JSON is shown", () => {
    for (const path of ["//other.example/mgr/vnc/ws", "/mgr/vnc/wsx", "ws://other", 5])
      expect(readInfo(200, JSON.stringify({ ...running, websocket_path: path })), String(path)).toMatchObject({ ok: false, isFinal: true });
    expect(readInfo(502, "Bad gateway")).toEqual({ ok: false, message: "Bad gateway", isFinal: false });
    expect(readInfo(500, "")).toMatchObject({ message: "The manager answered 500." });
  });
});
