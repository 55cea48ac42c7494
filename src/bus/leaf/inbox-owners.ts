/** Names that are remembered. Each is random and as good as new: one that is forgotten has not been used for long. */
const MAX_NAMES = 50_000;

/**
 * Whose inboxes are whose: the first that subscribes to a name has it, also while its connection is away. Leaves learn the names of
 * inboxes from the requests that they receive; they must not read the other answers that go there.
 */
export class InboxOwners {
  /** In the order of their last use. */
  readonly #owners = new Map<string, string>();

  /** False: it is another's. */
  claim(name: string, owner: string): boolean {
    const known = this.#owners.get(name);
    if (known !== undefined && known !== owner) return false;
    this.#owners.delete(name);
    this.#owners.set(name, owner);
    if (this.#owners.size > MAX_NAMES) {
      const [oldest = ""] = this.#owners.keys();
      this.#owners.delete(oldest);
    }
    return true;
  }
}
