import { beforeEach, describe, expect, test } from "vitest";
import { heldModifiers, releaseModifiers, tapModifier, textOfKey, typedText } from "../../../web/src/terminal/input/touch-keys.ts";

beforeEach(releaseModifiers);

describe("keys of the key bar", () => {
  test.each([
    ["esc", "\x1b"],
    ["tab", "\t"],
    ["up", "\x1b[A"],
    ["end", "\x1b[F"],
    ["pageDown", "\x1b[6~"],
    ["|", "|"],
  ] as const)("%s types what xterm sends", (key, text) => {
    expect(textOfKey(key, false)).toBe(text);
  });

  test("cursor keys follow the terminal's application mode, others do not", () => {
    expect(textOfKey("left", true)).toBe("\x1bOD");
    expect(textOfKey("home", true)).toBe("\x1bOH");
    expect(textOfKey("pageUp", true)).toBe("\x1b[5~");
  });
});

describe("a modifier", () => {
  test("that is tapped once holds for one key", () => {
    expect(tapModifier("ctrl")).toBe("once");
    expect(typedText("c")).toBe("\x03");
    expect(typedText("c")).toBe("c");
  });

  test("that is tapped twice holds until it is tapped again", () => {
    tapModifier("ctrl");
    expect(tapModifier("ctrl")).toBe("locked");
    expect([typedText("a"), typedText("A"), typedText("[")]).toEqual(["\x01", "\x01", "\x1b"]);
    expect(tapModifier("ctrl")).toBe("off");
    expect(typedText("a")).toBe("a");
  });

  test.each([
    ["\x1b[A", "\x1b[1;5A", "\x1b[1;3A", "\x1b[1;7A"],
    ["\x1bOC", "\x1b[1;5C", "\x1b[1;3C", "\x1b[1;7C"],
    ["\x1b[5~", "\x1b[5;5~", "\x1b[5;3~", "\x1b[5;7~"],
    ["x", "\x18", "\x1bx", "\x1b\x18"],
    [" ", "\0", "\x1b ", "\x1b\0"],
    ["/", "\x1f", "\x1b/", "\x1b\x1f"],
  ])("%j becomes %j with Ctrl, %j with Alt, %j with both", (text, ctrl, alt, both) => {
    tapModifier("ctrl");
    expect(typedText(text)).toBe(ctrl);
    tapModifier("alt");
    expect(typedText(text)).toBe(alt);
    tapModifier("ctrl");
    tapModifier("alt");
    expect(typedText(text)).toBe(both);
  });

  test("does not change words, which a phone's keyboard completes", () => {
    tapModifier("ctrl");
    expect(typedText("install ")).toBe("install ");
    expect(heldModifiers.value.ctrl).toBe("off");
  });

  test("survives replies that the terminal sends by itself, such as focus reports", () => {
    tapModifier("ctrl");
    expect(typedText("\x1b[I")).toBe("\x1b[I");
    expect(typedText("c")).toBe("\x03");
  });
});
