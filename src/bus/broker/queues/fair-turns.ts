/** Number of bytes that one member sends before the next one's turn. Smaller messages of others wait at most for one message of each member. */
export const TURN_BYTES = 16 * 1024;

/** Number of bytes that the member may still send in its turn; negative after a large message. */
export interface InTurns {
  deficit: number;
}

/**
 * Deficit round robin, as in FQ-CoDel (RFC 8290): members that send little go first. A member that had nothing to send begins in front, for
 * one turn; then it takes turns with the others. So short messages never wait behind a flood, however many publish it.
 */
export class FairTurns<Member extends InTurns> {
  #fresh: Member[] = [];
  #others: Member[] = [];

  /** Adds a member that takes no turns yet. */
  begin(member: Member): void {
    member.deficit = TURN_BYTES;
    this.#fresh.push(member);
  }

  /** Returns the member whose turn it is; null: there is none. */
  next(): Member | null {
    for (;;) {
      const turns = this.#fresh.length > 0 ? this.#fresh : this.#others;
      const [member] = turns;
      if (member === undefined) return null;
      if (member.deficit > 0) return member;
      member.deficit += TURN_BYTES;
      turns.shift();
      this.#others.push(member);
    }
  }

  /**
   * Called when the member that `next` has returned has nothing to send; returns true if it was removed. While others wait, a fresh one
   * stays until its next turn: otherwise it would always begin in front.
   */
  isEmpty(member: Member): boolean {
    if (this.#fresh[0] !== member) {
      this.#others.shift();
      return true;
    }
    this.#fresh.shift();
    if (this.#others.length === 0) return true;
    this.#others.push(member);
    return false;
  }
}
