/** Maximum number of subjects that are counted one by one; messages of further ones are not. */
const MAX_SUBJECTS = 256;

/** Lost messages of one receiver, by subject. */
export class SubjectTally {
  readonly #counts = new Map<string, number>();

  add(subject: string, msgs: number): void {
    const known = this.#counts.get(subject);
    if (known !== undefined || this.#counts.size < MAX_SUBJECTS) this.#counts.set(subject, (known ?? 0) + msgs);
  }

  of(subject: string): number {
    return this.#counts.get(subject) ?? 0;
  }
}
