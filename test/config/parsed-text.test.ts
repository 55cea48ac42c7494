import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { loadConfigFile } from "../../src/config/load/load.ts";
import { type ParsedText, parsedText } from "../../src/config/load/parsed-text.ts";

/** Makes a file large enough to be parsed in another program. */
const COMMENT = `# ${"=".repeat(20_000)}\n`;
const TEXT = `${COMMENT}instance: {name: t, manager: ':0'}
processes:
  p:
    command: sleep 1
    environment: {VERSION: 1.10}
`;

let folder = "";
let file = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "mgr-parsed-"));
  file = join(folder, "mgr.yaml");
});

afterAll(() => rm(folder, { recursive: true }));

/** What the other program makes of `text`, as it arrives here. */
async function parsed(text: string): Promise<ParsedText | null> {
  await writeFile(file, text);
  return structuredClone(await parsedText(file, true));
}

/** The value at `path` in the parsed text, changed. */
function changed({ hash, value }: ParsedText, command: string): ParsedText {
  const processes = new Map([["p", new Map([["command", command]])]]);
  return { hash, value: new Map([...value, ["processes", processes]]) };
}

it("a configuration whose text another program has parsed is made from its values", async () => {
  const known = await parsed(TEXT);
  if (known === null) throw new Error("the text was not parsed");
  const load = (of: ParsedText) => loadConfigFile(file, { trustConfig: true, parsed: async () => of });
  expect(await load(known)).toEqual(await loadConfigFile(file, { trustConfig: true }));
  expect((await load(known)).processes.get("p")?.environment).toEqual({ VERSION: "1.10" });
  expect((await load(changed(known, "true"))).processes.get("p")?.command.text).toBe("true");
  const other = { ...changed(known, "true"), hash: "of another text" };
  expect((await load(other)).processes.get("p")?.command.text).toBe("sleep 1");
});

it("the problems of a text that another program has parsed have their places", async () => {
  const known = await parsed(`${TEXT}    retsart: 1\n`);
  expect(known).not.toBeNull();
  const problem = { file, path: "processes.p.retsart", line: 7, column: 5 };
  await expect(loadConfigFile(file, { trustConfig: true, parsed: async () => known })).rejects.toMatchObject({ problems: [problem] });
});

it("a small text, and one with problems of YAML, are left to the program that needs them", async () => {
  expect(await parsed(TEXT.replace(COMMENT, ""))).toBeNull();
  expect(await parsed(`${TEXT}    command: twice\n`)).toBeNull();
  expect(await parsed(COMMENT)).toBeNull();
});
