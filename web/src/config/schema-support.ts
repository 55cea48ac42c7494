import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import { syntaxTree } from "@codemirror/language";
import type { Diagnostic } from "@codemirror/lint";
import type { EditorState } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import published from "../../../docs/config.schema.json";
import { pathByIndent } from "./path-by-indent.ts";
import { isKeyAllowed, keysAt, type Schema, valuesAt } from "./schema.ts";

const root = published as unknown as Schema;

type SyntaxNode = ReturnType<ReturnType<typeof syntaxTree>["resolve"]>;

/** The keys that lead to a node, from the outside in. */
function pathTo(node: SyntaxNode, state: EditorState): string[] {
  const path: string[] = [];
  for (let at: SyntaxNode | null = node; at; at = at.parent) {
    if (at.name === "Pair") {
      const key = at.getChild("Key");
      // The key itself is not below itself.
      if (key && !(node.from >= key.from && node.to <= key.to && at.from === key.from && isWithin(node, key)))
        path.unshift(keyText(key, state));
    } else if (at.name === "Item") path.unshift("[]");
  }
  return path;
}

function isWithin(node: SyntaxNode, outer: SyntaxNode): boolean {
  for (let at: SyntaxNode | null = node; at; at = at.parent) if (at.name === outer.name && at.from === outer.from) return true;
  return false;
}

function keyText(key: SyntaxNode, state: EditorState): string {
  return state
    .sliceDoc(key.from, key.to)
    .trim()
    .replace(/^(["'])(.*)\1$/, "$2");
}

/** Keys that the schema does not know, while typing; everything else is the manager's to say when saving. */
export function schemaProblems(view: EditorView): Diagnostic[] {
  const { state } = view;
  const found: Diagnostic[] = [];
  syntaxTree(state).iterate({
    enter(cursor) {
      if (cursor.type.isError && cursor.to > cursor.from) {
        found.push({ from: cursor.from, to: cursor.to, severity: "warning", message: "Invalid YAML." });
      }
      if (cursor.name !== "Key") return;
      const key = keyText(cursor.node, state);
      const pair = cursor.node.parent;
      const path = pair ? pathTo(pair, state).slice(0, -1) : [];
      if (key === "<<" || key === "" || isKeyAllowed(root, path, key)) return;
      const known = keysAt(root, path).map((one) => one.key);
      found.push({
        from: cursor.from,
        to: cursor.to,
        severity: "error",
        message: `Unknown key '${key}'. Known keys: ${known.join(", ")}.`,
      });
    },
  });
  return found;
}

/** Keys and values by the schema, for the line that is written. Indentation tells where it belongs. */
export function completeFromSchema(context: CompletionContext): CompletionResult | null {
  const { state, pos } = context;
  const line = state.doc.lineAt(pos);
  const before = line.text.slice(0, pos - line.from);
  const value = /^(\s*(?:- )*)([^\s:#][^:#]*):\s+(\S*)$/.exec(before);
  const [, lead = "", key, typed = ""] = value ?? [];
  if (value && key) {
    const options = valuesAt(root, [...pathByIndent(state.doc, line.number, lead.length), key]).map(
      (label): Completion => ({ label, type: "constant" }),
    );
    return options.length === 0 ? null : { from: pos - typed.length, options };
  }
  const word = /^(\s*(?:- )*)([\w-]*)$/.exec(before);
  if (!word || (word[2] === "" && !context.explicit)) return null;
  const options = keysAt(root, pathByIndent(state.doc, line.number, (word[1] ?? "").length)).map(
    ({ key: label, description }): Completion => ({ label, apply: `${label}: `, info: description, type: "property" }),
  );
  return options.length === 0 ? null : { from: pos - (word[2] ?? "").length, options, validFor: /^[\w-]*$/ };
}
