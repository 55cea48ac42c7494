/** Maximum number of names. The one used longest ago is removed; names are random and not reused. */
const MAX_NAMES = 50_000;

/**
 * The owners of inboxes. The first subscriber of a name owns it, even while its connection is lost. Leaves see the names of inboxes in the
 * requests that they receive, but must not read other answers sent to them.
 */
export class InboxOwners {
  /** Owners by name, in the order of their last use. */
  readonly #owners = new Map<string, string>();

  /** Returns false if the name has another owner. */
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
