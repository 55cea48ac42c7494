import { onTestFailed } from "vitest";
import { SEED } from "./seed.ts";

/** Numbers from 0 to below 1, for one test. The seed is that of property tests. */
export function seededRandom(): () => number {
  onTestFailed(() => console.error(`MGR_SEED=${SEED} repeats the choices of this test`));
  let state = SEED;
  return () => {
    // Lehmer's generator; the modulus is a prime.
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
