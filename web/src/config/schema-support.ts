import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import published from "../../../docs/config.schema.json";
import { pathByIndent } from "./path-by-indent.ts";
import { keysAt, type Schema, valuesAt } from "./schema.ts";

const root = published as unknown as Schema;

/** Completes keys and values of the line that is being typed from the schema. The indentation determines its place in the schema. */
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
