import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isValidLiteral, isValidSubscription, SubscriptionTree } from "../../../src/bus/broker/broker-subscriptions.ts";

const token = fc.constantFrom("a", "b", "c");
const subject = fc.array(token, { minLength: 1, maxLength: 4 }).map((tokens) => tokens.join("."));
const pattern = fc
  .tuple(fc.array(fc.oneof(token, fc.constant("*")), { minLength: 1, maxLength: 4 }), fc.boolean())
  .map(([tokens, rest]) => [...tokens, ...(rest ? [">"] : [])].join("."));

/** The rule as a regular expression: slow, and plain to see. */
function matches(patternText: string, subjectText: string): boolean {
  const source = patternText
    .split(".")
    .map((one) => (one === "*" ? "[^.]+" : one === ">" ? ".+" : one))
    .join("\\.");
  return new RegExp(`^${source}$`).test(subjectText);
}

describe("the tree of subscriptions", () => {
  it("finds exactly those whose pattern matches, after any insertions and removals", () => {
    const one = fc.record({ subject: pattern, queue: fc.option(fc.constantFrom("q", "r")) });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(one, fc.boolean()), { maxLength: 20 }),
        fc.array(subject, { minLength: 1, maxLength: 5 }),
        (entries, subjects) => {
          const tree = new SubscriptionTree<{ subject: string; queue: string | null }>();
          for (const [entry] of entries) tree.insert(entry);
          // Fills the cache, which has to notice the removals.
          for (const each of subjects) tree.match(each);
          for (const [entry, stays] of entries) if (!stays) tree.remove(entry);
          const left = entries.filter(([, stays]) => stays).map(([entry]) => entry);
          expect(tree.size).toBe(left.length);
          for (const each of subjects) {
            const found = tree.match(each);
            const expected = left.filter((entry) => matches(entry.subject, each));
            expect(new Set(found.plain)).toEqual(new Set(expected.filter((entry) => entry.queue === null)));
            expect(new Set(found.groups.flat())).toEqual(new Set(expected.filter((entry) => entry.queue !== null)));
            for (const group of found.groups) expect(new Set(group.map((entry) => entry.queue)).size).toBe(1);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it("costs no more for hostile wildcards than there are nodes", () => {
    const tree = new SubscriptionTree<{ subject: string; queue: null }>();
    for (let depth = 1; depth <= 500; depth++) tree.insert({ subject: Array(depth).fill("*").join("."), queue: null });
    expect(tree.match(Array(500).fill("a").join(".")).plain).toHaveLength(1);
  });

  it("gives nothing for a subject with an empty token", () => {
    const tree = new SubscriptionTree<{ subject: string; queue: null }>();
    tree.insert({ subject: ">", queue: null });
    for (const each of ["", ".", "a.", ".a", "a..b"]) expect(tree.match(each).plain).toEqual([]);
  });
});

describe("subjects", () => {
  it.each(["a", "a.b", "*", ">", "a.*.c", "a.>", "a*", "grün"])("%j can be subscribed to", (each) =>
    expect(isValidSubscription(each)).toBe(true),
  );
  it.each(["", ".", "a.", ".a", "a..b", ">.a", "a.>.b"])("%j cannot be subscribed to", (each) =>
    expect(isValidSubscription(each)).toBe(false),
  );
  it.each(["a.*", ">", "*", "a..b"])("%j is not literal", (each) => expect(isValidLiteral(each)).toBe(false));
  it("a token that merely holds a wildcard character is literal", () => expect(isValidLiteral("a*.b>c")).toBe(true));
});
