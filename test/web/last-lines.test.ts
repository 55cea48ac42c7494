import { describe, expect, test } from "vitest";
import { lastLine } from "../../src/client/shown/last-line.ts";
import { LastLines } from "../../web/src/overview/last-lines.ts";

describe("the last line of some output", () => {
  test.each([
    ["the last one that says something", "one\r\ntwo\r\n\r\n  \r\n", "two"],
    ["without colours and other sequences", "\x1b]0;title\x07\x1b[1;31merror:\x1b[0m no\tdevice\x1b[K\r\n", "error: no device"],
    ["what a progress bar wrote last", "10%\r50%\r100%", "100%"],
    [
      "the error, where a Node program ended by one",
      "/a.js:1\r\nthrow new Error('x')\r\n^\r\n\r\nError: no device\r\n    at f (/a.js:1:7)\r\n    at node:internal/main:1 {\r\n  code: 'ENODEV'\r\n}\r\n\r\nNode.js v20.20.2\r\n",
      "Error: no device",
    ],
    [
      "what a Node program threw that is no error",
      "/a.js:1\r\nthrow 'no device'\r\n^\r\nno device\r\n(Use `node --trace-uncaught ...` to show where)\r\n\r\nNode.js v20.20.2\r\n",
      "no device",
    ],
    ["nothing where there is none", "\r\n\x1b[0m\r\n", ""],
  ])("is %s", (_what, output, line) => expect(lastLine(output)).toBe(line));

  test("is cut when it is long", () => expect(lastLine("x".repeat(10_000))).toHaveLength(300));
});

describe("last lines", () => {
  /** Answers by hand; `asked` are the questions under way or answered. */
  function questions() {
    const asked: string[] = [];
    const answers: ((line: string | Error) => void)[] = [];
    const lines = new LastLines({
      ask: (name) => {
        asked.push(name);
        return new Promise((resolve, reject) => answers.push((line) => (typeof line === "string" ? resolve(line) : reject(line))));
      },
      onAnswer: () => {},
    });
    const answer = async (line: string | Error) => {
      answers.shift()?.(line);
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { asked, lines, answer };
  }

  test("are requested once a run, one after the other", async () => {
    const { asked, lines, answer } = questions();
    for (const name of ["a", "b", "a"]) lines.request(name, "1");
    expect(asked).toEqual(["a"]);
    expect(lines.of("a")).toBe("");
    await answer("of a");
    expect(asked).toEqual(["a", "b"]);
    await answer("of b");
    lines.request("a", "1");
    expect([lines.of("a"), lines.of("b"), asked.length]).toEqual(["of a", "of b", 2]);
  });

  test("stay until the next run's is known", async () => {
    const { lines, answer } = questions();
    lines.request("a", "1");
    await answer("first");
    lines.request("a", "2");
    expect(lines.of("a")).toBe("first");
    await answer("second");
    expect(lines.of("a")).toBe("second");
  });

  test("that could not be fetched are requested again", async () => {
    const { asked, lines, answer } = questions();
    lines.request("a", "1");
    await answer(new Error("no connection"));
    lines.request("a", "1");
    await answer("came");
    expect([lines.of("a"), asked]).toEqual(["came", ["a", "a"]]);
  });

  test("of more processes than fit in view are not all requested", async () => {
    const { asked, lines, answer } = questions();
    for (let index = 0; index < 1_000; index++) lines.request(`p${index}`, "1");
    for (let index = 0; index < 100; index++) await answer("");
    expect(asked.length).toBeLessThanOrEqual(65);
    expect(asked.at(-1)).toBe("p999");
  });
});
