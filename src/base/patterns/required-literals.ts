/** Kinds of nodes in the prefilter of re2js 2.10. */
const EXACT = 1;
const ALL_OF = 2;
const ONE_OF = 3;

/** With more literals, searching for each of them is slower than the expression itself. */
const MAX_LITERALS = 8;
/** The engine's tree is as deep as the expression. */
const MAX_DEPTH = 50;

/**
 * Texts of which each match of an expression contains at least one, by the prefilter that the engine has made of it; null: there are none, or too
 * many. The prefilter is no part of the engine's documented interface: without the expected form there are no literals, which costs time only.
 */
export function requiredLiterals(prefilter: unknown, depth = 0): readonly string[] | null {
  if (!isNode(prefilter) || depth > MAX_DEPTH) return null;
  const { type, str, subs } = prefilter;
  if (type === EXACT) return typeof str === "string" && str !== "" ? [str] : null;
  if (!Array.isArray(subs)) return null;
  const parts = subs.map((sub: unknown) => requiredLiterals(sub, depth + 1));
  if (type === ALL_OF) return best(parts);
  if (type !== ONE_OF) return null;
  const all = [...new Set(parts.flatMap((part) => part ?? []))];
  return parts.includes(null) || all.length === 0 || all.length > MAX_LITERALS ? null : all;
}

/** One part is enough where all are required: the one with the longest texts occurs least. */
function best(parts: readonly (readonly string[] | null)[]): readonly string[] | null {
  const shortest = (literals: readonly string[]) => Math.min(...literals.map(({ length }) => length));
  return parts.reduce((chosen, part) => (part !== null && (chosen === null || shortest(part) > shortest(chosen)) ? part : chosen), null);
}

function isNode(value: unknown): value is { readonly type: unknown; readonly str: unknown; readonly subs: unknown } {
  return typeof value === "object" && value !== null && "type" in value && "str" in value && "subs" in value;
}
