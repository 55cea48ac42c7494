import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { redactConfig } from "../../src/config/redact.ts";

const FILE = `# CANARY at the top
instance: # CANARY beside
  name: t
  manager: ":0"
  bus_token: CANARY
x-shared: &shared
  A: CANARY
  "B": 'CANARY'
defaults:
  environment: *shared
processes:
  token-server:
    command: [run, "#not a comment"]
    environment:
      KEY: |
        CANARY
        CANARY # in a block
      # KEY: CANARY
      NUMBER: 1.10
      EMPTY:
    cwd: x
  b: {command: y, environment: {K: &k CANARY, L: "two
    CANARY lines"}, ready: {regex: "a # b"}}
  c: {command: z, x-db-password: [CANARY, {deep: CANARY}]}
  d: {command: [a, *k]}
`;

describe("the configuration in an archive", () => {
  it("has *** for every value of environment, token and password keys, also behind aliases, and no comments", () => {
    const text = redactConfig(FILE) ?? "";
    expect(text).not.toContain("CANARY");
    expect(parse(text)).toEqual({
      instance: { name: "t", manager: ":0", bus_token: "***" },
      "x-shared": { A: "***", B: "***" },
      defaults: { environment: { A: "***", B: "***" } },
      processes: {
        "token-server": {
          command: ["run", "#not a comment"],
          environment: { KEY: "***", NUMBER: "***", EMPTY: null },
          cwd: "x",
        },
        b: { command: "y", environment: { K: "***", L: "***" }, ready: { regex: "a # b" } },
        c: { command: "z", "x-db-password": ["***", { deep: "***" }] },
        d: { command: ["a", "***"] },
      },
    });
  });

  it("keeps everything else as written, with its lines", () => {
    const text =
      "instance:\n  name:   t\n\n  manager: ':0'\nprocesses:\n  a:\n    environment: {X: 1}\n    command: >-\n      folded\n      text\n";
    expect(redactConfig(text)).toBe(text.replace("X: 1", 'X: "***"'));
  });

  it("is left out if it is not YAML", () => {
    expect(redactConfig("a: [")).toBeNull();
    expect(redactConfig("")).toBe("");
  });

  it("never shows a secret, whatever its form, and stays the same YAML otherwise", () => {
    const secret = fc.string({ unit: "grapheme" }).map((tail) => `CANARY${tail}`);
    fc.assert(
      fc.property(secret, fc.constantFrom("environment", "token", "DB_PASSWORD"), (value, key) => {
        const text = `a: 1\n${key}: {x: ${JSON.stringify(value)}, y: [${JSON.stringify(value)}]}\nb: 2\n`;
        const redacted = redactConfig(text) ?? "";
        expect(redacted).not.toContain("CANARY");
        expect(parse(redacted)).toEqual({ a: 1, [key]: { x: "***", y: ["***"] }, b: 2 });
      }),
    );
  });
});
