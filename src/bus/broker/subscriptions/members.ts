/** Maximum number of members without kept positions: finding one by a search would make many removals quadratic. */
const MAX_SEARCHED = 16;

/** A list from which members are removed in constant time and chosen by their index. Their order has no meaning. */
export class Members<S> {
  #list: S[];
  #positions: Map<S, number> | null = null;
  /** Whether the list was returned, so that it is copied before its next change. */
  #isShared = false;

  constructor(first: S) {
    // An array literal allocates one element, `push` 17.
    this.#list = [first];
  }

  get size(): number {
    return this.#list.length;
  }

  at(index: number): S {
    return this.#list[index] as S;
  }

  /** Returns the list, which is not modified afterwards. */
  all(): readonly S[] {
    this.#isShared = true;
    return this.#list;
  }

  /** Adds a member; false: it is one already. */
  add(member: S): boolean {
    if (this.#indexOf(member) >= 0) return false;
    this.#own();
    this.#positions?.set(member, this.#list.length);
    this.#list.push(member);
    if (this.#positions === null && this.#list.length > MAX_SEARCHED)
      this.#positions = new Map(this.#list.map((each, index) => [each, index]));
    return true;
  }

  /** Removes a member; false: it is none. */
  delete(member: S): boolean {
    const index = this.#indexOf(member);
    if (index < 0) return false;
    this.#own();
    const last = this.#list.pop() as S;
    this.#positions?.delete(member);
    if (last === member) return true;
    this.#list[index] = last;
    this.#positions?.set(last, index);
    return true;
  }

  #indexOf(member: S): number {
    return this.#positions === null ? this.#list.indexOf(member) : (this.#positions.get(member) ?? -1);
  }

  #own(): void {
    if (!this.#isShared) return;
    this.#isShared = false;
    this.#list = this.#list.slice();
  }
}
