// Fails if a test asserts nothing: it has to call `expect`, a helper that fails when what it waits for does not come, or a function of
// its own file that does so. Blocks are found by their indentation, which the formatter sees to.
import { readdirSync, readFileSync } from "node:fs";

const ASSERTS = ["expect\\w*", "soon", "eventually", "until\\w*", "waitFor\\w*"];
const TEST = /^\s*(it|test)(\.\w+)*[.(<]/;
const DECLARATION =
  /^\s*(?:export )?(?:async )?(?:function\*? |const |(?:static |readonly )?(?:async )?)#?(\w+)(?:<.*>)?(?:\(| = |: (?:async )?\()/;

let tests = 0;
const silent = [];
for (const path of readdirSync("test", { recursive: true, encoding: "utf8" }).sort()) {
  if (!path.endsWith(".test.ts")) continue;
  const lines = readFileSync(`test/${path}`, "utf8").split("\n");
  const asserting = [...ASSERTS];
  const helpers = [...lines.entries()].flatMap(([index, line]) => {
    const name = TEST.test(line) ? undefined : DECLARATION.exec(line)?.[1];
    return name === undefined ? [] : [{ name, text: blockAt(lines, index) }];
  });
  // Helpers may call one another, in any order.
  for (let before = 0; before < asserting.length; ) {
    before = asserting.length;
    for (const { name, text } of helpers) if (!asserting.includes(name) && calls(text, asserting)) asserting.push(name);
  }
  for (const [index, line] of lines.entries()) {
    if (!TEST.test(line)) continue;
    tests++;
    if (!calls(blockAt(lines, index), asserting)) silent.push(`test/${path}:${index + 1}: ${line.trim()}`);
  }
}
for (const line of silent) console.error(`${line}\n    asserts nothing: call expect`);
console.log(`assertions: ${tests} tests checked, ${silent.length} assert nothing`);
if (silent.length > 0) process.exitCode = 1;

/** The statement or function that begins at line `start`. */
function blockAt(lines, start) {
  const indent = /^\s*/.exec(lines[start])[0];
  const isEnd = (line) => line.startsWith(indent) && /^[)\]}](.*;$|,?$)/.test(line.slice(indent.length));
  const isOpen = /[[({`]$/.test(lines[start]);
  let end = start + 1;
  if (isOpen) {
    while (end < lines.length && !isEnd(lines[end])) end++;
    end++;
  } else if (!lines[start].endsWith(";")) while (end < lines.length && lines[end].startsWith(`${indent} `)) end++;
  return lines.slice(start, end).join("\n");
}

function calls(text, names) {
  return new RegExp(`\\b(?:${names.join("|")})\\b`).test(text.slice(text.indexOf("(")));
}
