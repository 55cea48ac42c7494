/** Number of steps in which the time passes. */
const STEPS = 4;

/**
 * The time limit for the CONNECT of a client. It passes in several steps: after a long turn of this program, input that the client has sent
 * meanwhile is read before its time is over.
 */
export class ConnectDeadline {
  #timer: ReturnType<typeof setTimeout> | null = null;

  begin(ms: number, over: () => void, steps = STEPS): void {
    this.#timer = setTimeout(() => (steps > 1 ? this.begin(ms, over, steps - 1) : over()), ms / STEPS);
  }

  end(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
