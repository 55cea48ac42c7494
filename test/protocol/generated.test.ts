import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { generatedFiles } from "../../scripts/documents/generated-files.ts";
import { ERROR_CATALOGUE, ERROR_CODES } from "../../src/base/errors.ts";
import { CLIENT_FRAMES, MANAGER_FRAMES } from "../../src/protocol/frames/frames.ts";
import { type JsonSchema, protocolJsonSchema } from "../../src/protocol/frames/json-schema.ts";

const files = generatedFiles();
const committed = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");

describe("generated files", () => {
  it.each([...files.keys()])("%s matches the schemas; else run `npm run generate`", (path) => {
    expect(committed(path)).toBe(files.get(path));
  });

  it("are the same each time", () => {
    expect(generatedFiles()).toEqual(files);
  });
});

describe("docs/protocol.md", () => {
  const document = committed("docs/protocol.md");

  it("has a row for every frame", () => {
    const rows = [...document.matchAll(/^\| \[?`([a-z_]+)`/gm)].map(([, type]) => type ?? "");
    expect(rows).toEqual(expect.arrayContaining([...Object.keys(CLIENT_FRAMES), ...Object.keys(MANAGER_FRAMES)]));
  });

  it("links to existing resources and examples", () => {
    const links = [...document.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor ?? "");
    expect(links.length).toBeGreaterThan(20);
    const headings = new Set([...document.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading ?? "")));
    expect(links.filter((anchor) => !headings.has(anchor))).toEqual([]);
  });

  it("lists the error codes of the catalogue that a client may see, as the schema does", () => {
    const onTheWire = Object.entries(ERROR_CATALOGUE).flatMap(([code, { wire }]) => (wire ? [code] : []));
    const table = document.slice(document.indexOf("## Error codes"));
    expect([...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, code]) => code)).toEqual(onTheWire);
    expect(protocolJsonSchema().$defs?.ErrorCode?.enum).toEqual(onTheWire);
    expect(ERROR_CODES).toEqual(onTheWire);
  });
});

describe("docs/protocol.schema.json", () => {
  const schema = JSON.parse(committed("docs/protocol.schema.json")) as JsonSchema;

  it("has every frame and no dangling reference", () => {
    const defined = new Set(Object.keys(schema.$defs ?? {}).map((name) => `#/$defs/${name}`));
    for (const type of Object.keys(CLIENT_FRAMES)) expect(defined).toContain(`#/$defs/client.${type}`);
    for (const type of Object.keys(MANAGER_FRAMES)) expect(defined).toContain(`#/$defs/manager.${type}`);
    const references = referencesIn(schema);
    expect(references.length).toBeGreaterThan(100);
    expect(references.filter((reference) => !defined.has(reference))).toEqual([]);
  });
});

/** The target that a heading gets where Markdown is shown. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w -]/g, "")
    .replaceAll(" ", "-");
}

function referencesIn(value: unknown): string[] {
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, item]) => (key === "$ref" && typeof item === "string" ? [item] : referencesIn(item)));
}
