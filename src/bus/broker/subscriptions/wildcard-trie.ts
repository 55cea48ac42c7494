import type { Bucket, Subscribed } from "./bucket.ts";

const DOT = ".".charCodeAt(0);
const ANY = "*".charCodeAt(0);
const REST = ">".charCodeAt(0);

/** A node of the trie. Tokens without a branch between them are one node, so that a subject of many tokens does not cost a node for each. */
class TrieNode<B> {
  /** Tokens of the node, with dots between them. */
  label: string;
  bucket: B | null = null;
  /** Children by their first tokens. */
  children: Map<string, TrieNode<B>> | null = null;

  constructor(label: string) {
    this.label = label;
  }
}

/** Buckets of subjects with wildcards, in a radix tree over tokens. For one subject each node is visited at most once. */
export class WildcardTrie<S extends Subscribed> {
  readonly #root = new TrieNode<Bucket<S>>("");

  get(pattern: string): Bucket<S> | null {
    return this.#path(pattern)?.at(-1)?.bucket ?? null;
  }

  /** Adds a bucket; there must be none with this subject yet. */
  add(bucket: Bucket<S>): void {
    let node = this.#root;
    let rest = bucket.subject;
    for (;;) {
      const token = firstToken(rest);
      node.children ??= new Map();
      const child = node.children.get(token);
      if (child === undefined) {
        const made = new TrieNode<Bucket<S>>(rest);
        made.bucket = bucket;
        node.children.set(token, made);
        return;
      }
      const common = commonTokens(child.label, rest);
      node = common === child.label.length ? child : split(node, child, common);
      if (common === rest.length) {
        node.bucket = bucket;
        return;
      }
      rest = rest.slice(common + 1);
    }
  }

  delete(bucket: Bucket<S>): void {
    const path = this.#path(bucket.subject);
    const node = path?.at(-1);
    if (path === null || node === undefined) return;
    node.bucket = null;
    const parent = path.at(-2) as TrieNode<Bucket<S>>;
    if (node.children === null) {
      parent.children?.delete(firstToken(node.label));
      if (parent.children?.size === 0) parent.children = null;
      if (parent !== this.#root) join(parent);
    } else join(node);
  }

  /** Calls `take` with the buckets whose subjects match. `subject` has no empty token. */
  match(subject: string, take: (bucket: Bucket<S>) => void): void {
    this.#visit(this.#root, subject, 0, take);
  }

  #visit({ children }: TrieNode<Bucket<S>>, subject: string, start: number, take: (bucket: Bucket<S>) => void): void {
    if (children === null) return;
    const end = subject.indexOf(".", start);
    const token = subject.slice(start, end < 0 ? undefined : end);
    // A published subject may hold wildcard characters, which then stand for themselves.
    if (token !== "*" && token !== ">") this.#enter(children.get(token), subject, start, take);
    this.#enter(children.get("*"), subject, start, take);
    this.#enter(children.get(">"), subject, start, take);
  }

  #enter(node: TrieNode<Bucket<S>> | undefined, subject: string, start: number, take: (bucket: Bucket<S>) => void): void {
    if (node === undefined) return;
    const after = positionAfter(node.label, subject, start);
    if (after < 0) return;
    if (after <= subject.length) this.#visit(node, subject, after, take);
    else if (node.bucket !== null) take(node.bucket);
  }

  /** The nodes from the root to that of `pattern`. */
  #path(pattern: string): TrieNode<Bucket<S>>[] | null {
    const path = [this.#root];
    let rest = pattern;
    for (;;) {
      const child = path.at(-1)?.children?.get(firstToken(rest));
      if (child === undefined || commonTokens(child.label, rest) < child.label.length) return null;
      path.push(child);
      if (child.label.length === rest.length) return path;
      rest = rest.slice(child.label.length + 1);
    }
  }
}

function firstToken(tokens: string): string {
  const end = tokens.indexOf(".");
  return end < 0 ? tokens : tokens.slice(0, end);
}

/** Length of the tokens with which both begin; the first is the same. */
function commonTokens(a: string, b: string): number {
  let common = 0;
  for (let at = 0; ; at++) {
    const [isEndOfA, isEndOfB] = [at === a.length || a.charCodeAt(at) === DOT, at === b.length || b.charCodeAt(at) === DOT];
    if (isEndOfA && isEndOfB) common = at;
    if (at === a.length || at === b.length || a.charCodeAt(at) !== b.charCodeAt(at)) return common;
  }
}

/** Puts a node for the first `length` characters of the label between a node and its child. */
function split<B>(node: TrieNode<B>, child: TrieNode<B>, length: number): TrieNode<B> {
  const between = new TrieNode<B>(child.label.slice(0, length));
  child.label = child.label.slice(length + 1);
  between.children = new Map([[firstToken(child.label), child]]);
  node.children?.set(firstToken(between.label), between);
  return between;
}

/** Joins a node that has no bucket and a single child with that child. */
function join<B>(node: TrieNode<B>): void {
  if (node.bucket !== null || node.children?.size !== 1) return;
  const [only] = node.children.values();
  if (only === undefined) return;
  node.label = `${node.label}.${only.label}`;
  node.bucket = only.bucket;
  node.children = only.children;
}

/** The position behind the tokens of `subject` that `label` matches from `start` on, and the dot behind them; -1: it does not match. */
function positionAfter(label: string, subject: string, start: number): number {
  let position = start;
  for (let at = 0; ; at++, position++) {
    // No token is left.
    if (position > subject.length) return -1;
    const char = label.charCodeAt(at);
    const isWhole = at + 1 === label.length || label.charCodeAt(at + 1) === DOT;
    if (isWhole && char === REST) return subject.length + 1;
    if (isWhole && char === ANY) {
      at++;
      const end = subject.indexOf(".", position);
      position = end < 0 ? subject.length : end;
    } else {
      for (; at < label.length && label.charCodeAt(at) !== DOT; at++, position++)
        if (label.charCodeAt(at) !== subject.charCodeAt(position)) return -1;
      if (position < subject.length && subject.charCodeAt(position) !== DOT) return -1;
    }
    if (at === label.length) return position + 1;
  }
}
