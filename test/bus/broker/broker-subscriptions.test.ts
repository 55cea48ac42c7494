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

interface Entry {
  readonly subject: string;
  readonly queue: string | null;
}

/** `slot` of the subscriptions is added or removed, or a subject is matched. */
type Step = { readonly slot: number; readonly entry: Entry } | { readonly match: string };

const entry = fc.record({ subject: pattern, queue: fc.option(fc.constantFrom("q", "r")) });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ slot: fc.nat({ max: 30 }), entry }),
  fc.record({ slot: fc.nat({ max: 3 }), entry }),
  fc.record({ match: subject }),
);

function expectMatch(tree: SubscriptionTree<Entry>, entries: Iterable<Entry>, each: string): void {
  const expected = [...entries].filter((one) => matches(one.subject, each));
  const found = tree.match(each);
  const plain = [...found.plain()];
  expect(plain).toHaveLength(found.plainSize);
  expect(plain.toSorted(bySubject)).toEqual(expected.filter(({ queue }) => queue === null).toSorted(bySubject));
  for (const queue of ["q", "r"]) {
    const groups = tree.groupsOf(found).filter((group) => group.queue === queue);
    expect(groups.length).toBeLessThanOrEqual(1);
    const members = groups.flatMap(({ parts }) => parts.flatMap((part) => [...part.members()]));
    expect(members.toSorted(bySubject)).toEqual(expected.filter((one) => one.queue === queue).toSorted(bySubject));
  }
}

function bySubject(a: Entry, b: Entry): number {
  return a.subject < b.subject ? -1 : a.subject > b.subject ? 1 : 0;
}

function plainOf(tree: SubscriptionTree<Entry>, each: string): Entry[] {
  return [...tree.match(each).plain()];
}

describe("the tree of subscriptions", () => {
  it("finds exactly those whose pattern matches, whatever came and went before", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), fc.array(subject, { minLength: 1, maxLength: 5 }), (steps, subjects) => {
        const tree = new SubscriptionTree<Entry>();
        const slots = new Map<number, Entry>();
        for (const one of steps) {
          if ("match" in one) {
            expectMatch(tree, slots.values(), one.match);
            continue;
          }
          const known = slots.get(one.slot);
          if (known) tree.remove(known);
          else tree.insert(one.entry);
          if (known) slots.delete(one.slot);
          else slots.set(one.slot, one.entry);
          expect(tree.size).toBe(slots.size);
        }
        for (const each of subjects) expectMatch(tree, slots.values(), each);
        for (const one of slots.values()) tree.remove(one);
        for (const each of subjects) expectMatch(tree, [], each);
      }),
      { numRuns: 2_000, interruptAfterTimeLimit: 5_000 },
    );
  });

  it("updates a cached match after few changes of wildcards, and rebuilds it after many", () => {
    for (const changes of [1, 255, 256, 257, 1_000]) {
      const tree = new SubscriptionTree<Entry>();
      const kept = [
        { subject: "a.*", queue: null },
        { subject: "a.b", queue: null },
      ];
      for (const one of kept) tree.insert(one);
      expectMatch(tree, kept, "a.b");
      const added = Array.from({ length: changes }, (_, n) => ({
        subject: n % 2 === 0 ? `*.${"b"}${".>".repeat(n % 4 ? 1 : 0)}` : `c.${n}.*`,
        queue: null,
      }));
      for (const one of added) tree.insert(one);
      expectMatch(tree, [...kept, ...added], "a.b");
      for (const one of added) tree.remove(one);
      expectMatch(tree, kept, "a.b");
    }
  });

  it("removes thousands of subscriptions to one subject without searching for each", () => {
    const tree = new SubscriptionTree<Entry>();
    const all = Array.from({ length: 50_000 }, () => ({ subject: "a", queue: null }));
    for (const one of all) tree.insert(one);
    const before = plainOf(tree, "a");
    for (const one of all.slice(0, 49_999)) tree.remove(one);
    expect(plainOf(tree, "a")).toEqual(all.slice(49_999));
    expect(before).toHaveLength(50_000);
  });

  it("visits no more nodes for hostile wildcards than there are", () => {
    const tree = new SubscriptionTree<Entry>();
    for (let depth = 1; depth <= 500; depth++) tree.insert({ subject: Array(depth).fill("*").join("."), queue: null });
    expect(plainOf(tree, Array(500).fill("a").join("."))).toHaveLength(1);
  });

  it("treats wildcard characters in a published subject as text", () => {
    const tree = new SubscriptionTree<Entry>();
    for (const each of ["*", ">", "a.*", "a.>"]) tree.insert({ subject: each, queue: null });
    const found = (each: string) =>
      plainOf(tree, each)
        .map((one) => one.subject)
        .toSorted();
    expect([found("*"), found(">"), found("a.*"), found("a.>")]).toEqual([["*", ">"], ["*", ">"], ...Array(2).fill([">", "a.*", "a.>"])]);
  });

  it("matches nothing for a subject with an empty token", () => {
    const tree = new SubscriptionTree<Entry>();
    tree.insert({ subject: ">", queue: null });
    for (const each of ["", ".", "a.", ".a", "a..b"]) expect(plainOf(tree, each)).toEqual([]);
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
