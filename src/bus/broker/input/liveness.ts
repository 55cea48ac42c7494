/** Checks whether a client still answers: one that is silent for a ping interval is pinged. */
export class Liveness {
  #isHeard = true;
  #pingsOut = 0;

  /** Called when something was received. */
  heard(): void {
    this.#isHeard = true;
  }

  /** Called once per ping interval. "stale": `maxPingsOut` pings are unanswered. */
  tick(maxPingsOut: number): "alive" | "ping" | "stale" {
    const isSilent = !this.#isHeard;
    this.#isHeard = false;
    if (!isSilent) this.#pingsOut = 0;
    else if (this.#pingsOut >= maxPingsOut) return "stale";
    else {
      this.#pingsOut++;
      return "ping";
    }
    return "alive";
  }
}
