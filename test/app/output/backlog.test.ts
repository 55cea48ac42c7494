import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HostSession } from "../../../src/app/hosts/host-session.ts";
import { readBacklog } from "../../../src/app/output/backlog.ts";
import { retainedOutput } from "../../../src/app/output/retained-output.ts";
import { testClock } from "../../actors/support/clock.ts";
import { hello, IDLE_LISTENER, page, ScriptedLink } from "../support/scripted-link.ts";

interface Ring {
  bytes: Uint8Array;
  /** Offset of the first byte that is kept. */
  begin?: number;
  from?: number;
  truncated?: boolean;
  pageSize?: number;
  pid?: number;
  ages?: { offset: number; age_ms: number }[];
  /** Called before each page: the ring may move on. */
  beforeRead?: (ring: Required<Pick<Ring, "begin">>) => void;
}

/** A session with a host that has this ring. Offsets count from the first byte of `bytes`. */
async function sessionWith({ bytes, begin = 0, from = begin, truncated = false, pageSize = 262_144, pid = 7, ages, beforeRead }: Ring) {
  const link = new ScriptedLink();
  const ring = { begin };
  const asked: Record<string, unknown>[] = [];
  link.auto = (name, request) => {
    if (name === "hello") return hello();
    if (name === "report") return page(0);
    asked.push(request);
    if (name === "tail") return { stream_id: "stream-a", pid, from, until: bytes.length, truncated, ages };
    beforeRead?.(ring);
    const start = Math.max(Number(request.from), ring.begin);
    const data = bytes.subarray(start, start + Math.min(pageSize, Number(request.max)));
    return { from: start, data };
  };
  const session = new HostSession({
    link,
    epoch: 1,
    clock: testClock(),
    listener: IDLE_LISTENER,
  });
  await session.greet();
  session.deliver();
  return { session, asked };
}

async function read(ring: Ring, lines = 1_000) {
  const { session } = await sessionWith(ring);
  try {
    return await readBacklog(session, "a", { lines }, () => 0);
  } finally {
    session.close();
  }
}

const utf8 = (text: string) => new TextEncoder().encode(text);

describe("a backlog", () => {
  it("is the ring's text from where its last lines begin, with pid, stream and the offset of its end", async () => {
    const { session, asked } = await sessionWith({ bytes: utf8("one\ntwo\n"), from: 4 });
    expect(await readBacklog(session, "a", { lines: 1 }, () => 0)).toEqual({
      pid: 7,
      output: "two\n",
      truncated: false,
      offset: 8,
      stream_id: "stream-a",
    });
    expect(asked[0]).toEqual({ session: "s1", name: "a", lines: 1 });
    session.close();
  });

  it("of a process that never ran is empty, with pid 0", async () => {
    const never = await read({ bytes: new Uint8Array(0), pid: 0 });
    expect(never).toEqual({ pid: 0, output: "", truncated: false, offset: 0, stream_id: "stream-a" });
  });

  it("is the same text whatever the sizes of the pages", () => {
    return fc.assert(
      fc.asyncProperty(fc.string({ unit: "grapheme", maxLength: 40 }), fc.integer({ min: 1, max: 7 }), async (text, pageSize) => {
        const bytes = utf8(text);
        expect(await read({ bytes, pageSize })).toMatchObject({ output: text, offset: bytes.length, truncated: false });
      }),
    );
  });

  it("keeps byte order marks, wherever they are: they are output like any other", async () => {
    expect((await read({ bytes: utf8("\uFEFFa\uFEFFb"), pageSize: 4 })).output).toBe("\uFEFFa\uFEFFb");
  });

  it("ends before an incomplete character: its bytes are sent live", async () => {
    const bytes = utf8("ab€").subarray(0, 4);
    expect(await read({ bytes })).toMatchObject({ output: "ab", offset: 2 });
    expect(await read({ bytes: utf8("😀").subarray(0, 3), pageSize: 1 })).toMatchObject({ output: "", offset: 0 });
  });

  it("shows bytes that are not text as U+FFFD and counts them", async () => {
    expect(await read({ bytes: Uint8Array.of(0x61, 0xff, 0x62) })).toMatchObject({ output: "a\uFFFDb", offset: 3 });
  });

  it("whose beginning was evicted begins with a whole character", async () => {
    const bytes = utf8("😀b");
    for (const begin of [1, 2, 3]) expect((await read({ bytes, begin, truncated: true })).output).toBe("b");
    // At a line's start nothing was torn: what stands there was written so.
    expect((await read({ bytes: Uint8Array.of(0x0a, 0x80, 0x62), from: 1 })).output).toBe("\uFFFDb");
  });

  it("loses what is older than a gap that opened while it was read, and reports that", async () => {
    const bytes = utf8("0123456789€abc");
    let reads = 0;
    const late = await read({
      bytes,
      pageSize: 4,
      beforeRead: (ring) => {
        if (++reads === 2) ring.begin = 11;
      },
    });
    expect(late).toEqual({ pid: 7, output: "abc", truncated: true, offset: bytes.length, stream_id: "stream-a" });
  });

  it("ends if everything was evicted", async () => {
    const gone = await read({
      bytes: utf8("0123"),
      beforeRead: (ring) => {
        ring.begin = 4;
      },
    });
    expect(gone).toEqual({ pid: 7, output: "", truncated: true, offset: 4, stream_id: "stream-a" });
  });

  it("reports on request when it was written, by the manager's clock", async () => {
    const { session, asked } = await sessionWith({ bytes: utf8("one\ntwo\n"), ages: [{ offset: 4, age_ms: 1_500 }] });
    const now = () => Date.UTC(2026, 10, 22, 10);
    const { times } = await readBacklog(session, "a", { lines: 9, times: true }, now);
    expect(times).toEqual([{ offset: 4, time: "2026-11-22T09:59:58.500" }]);
    expect(asked[0]).toMatchObject({ ages: true });
    session.close();
  });

  it("is refused when the session is gone", async () => {
    const { session } = await sessionWith({ bytes: utf8("a") });
    session.close();
    await expect(readBacklog(session, "a", { lines: 1 }, () => 0)).rejects.toMatchObject({ code: "host_unavailable" });
  });
});

describe("all retained bytes", () => {
  it.each([
    ["what the ring dropped meanwhile", 300_000, 37_856, 100_000],
    ["what another daemon no longer has", 400_000, 137_856, 0],
  ])("have the announced size, with a note in the place of %s", async (_, begin, lost, after) => {
    let reads = 0;
    const { session } = await sessionWith({
      bytes: utf8("a".repeat(400_000)),
      beforeRead: (ring) => {
        if (++reads === 2) ring.begin = begin;
      },
    });
    const { size, pages } = await retainedOutput(session, "a");
    let text = "";
    for await (const part of pages) text += Buffer.from(part).toString();
    session.close();
    expect([size, text.length]).toEqual([400_000, 400_000]);
    expect(text.slice(262_144)).toMatch(
      new RegExp(`^\\n\\[${lost} bytes were overwritten by newer output while this was read\\]\\n *a{0,${after}}$`),
    );
    expect(text.endsWith("a".repeat(after))).toBe(true);
  });
});
