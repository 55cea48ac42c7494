import { type Document, isAlias, isMap, isNode, isPair, isScalar, isSeq, LineCounter, type Node, type Pair, Parser, visit } from "yaml";
import { SECRET_KEYS } from "./features.ts";
import { parseYamlDocument } from "./load/yaml-document.ts";

/** Keys with secret values; no value below one of them is shown. */
const SECRET_KEY = /^(environment|bus|bus_leafnode_url)$|token|passw|secret|credential|api_?key/i;
const REDACTED = "***";
/** Sections that are mappings from names. */
const NAMED = new Set<unknown>(["processes", "groups", "hosts", "nodes", "networks", "templates"]);

/**
 * The text of a configuration file without its secrets: each value below such a key is `***`, even if it comes from
 * an alias, and so is each comment, which may hold an old one. Null: the text is not valid YAML, so its secrets cannot be
 * identified.
 */
export function redactConfig(text: string): string | null {
  const { document } = parseYamlDocument(text);
  if (document === null) return null;
  const cuts = [...commentsOf(text), ...secretsOf(document, text)].sort((a, b) => a.from - b.from);
  let redacted = "";
  let position = 0;
  for (const { from, to, by } of cuts) {
    if (from < position) continue; // Within a part that is already removed.
    redacted += text.slice(position, from) + by;
    position = to;
  }
  return redacted + text.slice(position);
}

interface Cut {
  readonly from: number;
  readonly to: number;
  readonly by: string;
}

/** Types of values whose lines can be left empty; lines of other values cannot, because brackets need their indentation. */
const BLOCKS = new Set<unknown>(["BLOCK_LITERAL", "BLOCK_FOLDED"]);

function secretsOf(document: Document.Parsed, text: string): Cut[] {
  const cuts: Cut[] = [];
  const seen = new Set<Node>();
  const redact = (value: unknown): void => {
    if (!isNode(value) || seen.has(value)) return;
    seen.add(value);
    if (isAlias(value)) redact(value.resolve(document));
    else if (isMap(value)) for (const pair of value.items) redact(pair.value);
    else if (isSeq(value)) for (const item of value.items) redact(item);
    else if (isScalar(value) && value.range) {
      const [from, to] = value.range;
      // An empty value has no text, and nothing to hide.
      const lines = BLOCKS.has(value.type) ? newlinesOf(text.slice(from, to)) : "";
      if (to > from) cuts.push({ from, to, by: `"${REDACTED}"${lines}` });
    }
  };
  visit(document, {
    Pair(_, { key, value }: Pair, path) {
      if (isScalar(key) && isSecretKey(String(key.value)) && !isName(path)) redact(value);
    },
  });
  return cuts;
}

const isSecretKey = (key: string): boolean => SECRET_KEY.test(key) || SECRET_KEYS.has(key);

/** Whether the keys of this mapping are user-defined names: a process called `tokenizer` is no secret. */
function isName([, , section, ...rest]: readonly unknown[]): boolean {
  return rest.length === 1 && isPair(section) && isScalar(section.key) && NAMED.has(section.key.value);
}

/** Finds the comments, which are between the tokens of values, at any depth. */
function commentsOf(text: string): Cut[] {
  const cuts: Cut[] = [];
  const collect = (token: unknown): void => {
    if (Array.isArray(token)) for (const item of token) collect(item);
    else if (typeof token === "object" && token !== null) {
      const { type, offset, source } = token as { type?: unknown; offset?: unknown; source?: unknown };
      if (type === "comment" && typeof offset === "number" && typeof source === "string") {
        cuts.push({ from: offset, to: offset + source.length, by: `# ${REDACTED}` });
      } else for (const part of Object.values(token)) collect(part);
    }
  };
  for (const token of new Parser(new LineCounter().addNewLine).parse(text)) collect(token);
  return cuts;
}

function newlinesOf(text: string): string {
  return text.replace(/[^\n]/g, "");
}
