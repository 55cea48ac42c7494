import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { afterAll, expect } from "vitest";
import { SEED } from "./seed.ts";
import { SHARED_BROWSER_SWITCH } from "./shared-browser-switch.ts";

// On a slow machine properties are tried on fewer cases; at least one run has to succeed. Milliseconds. A failure prints its seed.
fc.configureGlobal({ interruptAfterTimeLimit: 30_000, seed: SEED });

// A test file that leaves a child process behind has failed, whatever its assertions said.
function livingChildren(): string[] {
  const children: string[] = [];
  for (const task of readdirSync("/proc/self/task")) {
    for (const pid of (ifThere(`/proc/self/task/${task}/children`) ?? "").split(" ").filter(Boolean)) {
      const command = ifThere(`/proc/${pid}/cmdline`);
      if (command !== null && !command.includes(SHARED_BROWSER_SWITCH)) children.push(`${pid} ${command.replaceAll("\0", " ").trim()}`);
    }
  }
  return children;
}

/** What has ended between the listing and the look is no leak. */
function ifThere(file: string): string | null {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return null;
  }
}

const before = livingChildren();

// The development build of xstate says by a warning that an actor acts within another's step.
const warnings: string[] = [];
const warn = console.warn;
console.warn = (...words: unknown[]) => {
  if (String(words[0]).includes("stately.ai")) warnings.push(String(words[0]));
  warn(...words);
};

afterAll(async () => {
  expect([...new Set(warnings)], "warnings of xstate").toEqual([]);
  const deadline = Date.now() + 90_000;
  let leaked = livingChildren().filter((child) => !before.includes(child));
  while (leaked.length > 0 && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    leaked = livingChildren().filter((child) => !before.includes(child));
  }
  expect(leaked, "child processes left behind by this test file").toEqual([]);
});
