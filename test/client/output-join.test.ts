import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { OutputJoin, outputAfter } from "../../src/client/output-join.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text).length;

/** Pieces of `text` that end at these characters, with the offsets that a manager gives them. */
function pieces(text: string, ends: number[], stream_id = "s") {
  const characters = [...text];
  const cuts = [...new Set([...ends.map((end) => end % (characters.length + 1)), characters.length])].sort((a, b) => a - b);
  let begin = 0;
  return cuts.flatMap((end) => {
    const output = characters.slice(begin, end).join("");
    begin = end;
    return output === "" ? [] : [{ output, offset: bytesOf(characters.slice(0, end).join("")), stream_id }];
  });
}

describe("backlog and live output", () => {
  it("are joined without loss or repetition, wherever the frames are cut and whenever the backlog comes", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 60 }).filter((text) => !text.includes("\uFFFD")),
        fc.array(fc.nat()),
        fc.nat(),
        fc.nat(),
        fc.nat(),
        (text, ends, end, first, arrival) => {
          const characters = [...text];
          const held = characters.slice(0, end % (characters.length + 1)).join("");
          const all = pieces(text, ends);
          // Subscribed before the backlog was read: no live frame is missing that goes beyond it.
          const needed = all.findIndex((piece) => piece.offset > bytesOf(held));
          const live = needed < 0 ? [] : all.slice(first % (needed + 1));
          const join = new OutputJoin();
          const at = arrival % (live.length + 1);
          let seen = "";
          for (const piece of live.slice(0, at)) seen += join.live(piece);
          seen += join.backlog({ output: held, offset: bytesOf(held), stream_id: "s" });
          for (const piece of live.slice(at)) seen += join.live(piece);
          expect(seen).toBe(needed < 0 ? held : text);
        },
      ),
    );
  });

  it("of bytes that are not text are not cut after the first frame: U+FFFD has more bytes than what it replaces", () => {
    const join = new OutputJoin();
    expect(join.backlog({ output: "ab", offset: 2, stream_id: "s" })).toBe("ab");
    expect(join.live({ output: "\uFFFD\uFFFD\uFFFD\uFFFD", offset: 6, stream_id: "s" })).toBe("\uFFFD\uFFFD\uFFFD\uFFFD");
    expect(join.live({ output: "\uFFFD\uFFFDc", offset: 9, stream_id: "s" })).toBe("\uFFFD\uFFFDc");
    // One byte of it stood in the backlog.
    const overlapping = new OutputJoin();
    overlapping.backlog({ output: "ab", offset: 2, stream_id: "s" });
    expect(overlapping.live({ output: "b\uFFFDc", offset: 4, stream_id: "s" })).toBe("\uFFFDc");
  });

  it("start again with another stream: the daemon's", () => {
    const join = new OutputJoin();
    join.backlog({ output: "old", offset: 1_000, stream_id: "one" });
    expect(join.live({ output: "new", offset: 3, stream_id: "two" })).toBe("new");
    expect(join.live({ output: "er", offset: 5, stream_id: "two" })).toBe("er");
  });

  it("that were skipped for a slow reader continue with new entries", () => {
    const join = new OutputJoin();
    join.backlog({ output: "abc", offset: 3, stream_id: "s" });
    expect(join.live({ output: "def", offset: 6, stream_id: "s" })).toBe("def");
    expect(join.live({ output: "xyz", offset: 900, stream_id: "s" })).toBe("xyz");
  });
});

describe("the output after a place", () => {
  it("is what a backlog has beyond it, with the number of bytes that the backlog does not have any more", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 40 }).filter((text) => !text.includes("\uFFFD")),
        fc.nat(),
        fc.nat(),
        (text, seen, kept) => {
          const characters = [...text];
          const place = seen % (characters.length + 1);
          const begin = kept % (characters.length + 1);
          const output = characters.slice(begin).join("");
          const after = outputAfter(
            { output, offset: bytesOf(text), stream_id: "s" },
            { offset: bytesOf(characters.slice(0, place).join("")), stream_id: "s" },
          );
          expect(after).toEqual({
            text: characters.slice(Math.max(begin, place)).join(""),
            skipped: bytesOf(characters.slice(place, Math.max(begin, place)).join("")),
          });
        },
      ),
    );
  });

  it("is everything in the stream of another daemon", () => {
    const backlog = { output: "new", offset: 3, stream_id: "two" };
    expect(outputAfter(backlog, { offset: 1_000, stream_id: "one" })).toEqual({ text: "new", skipped: 0 });
  });
});
