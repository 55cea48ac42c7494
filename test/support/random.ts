import { onTestFailed } from "vitest";

/** Numbers from 0 to below 1, for one test. A failure prints the seed; MGR_SEED repeats it. */
export function seededRandom(): () => number {
  const seed = Number(process.env.MGR_SEED ?? 1 + (Date.now() % 1_000_000));
  onTestFailed(() => console.error(`MGR_SEED=${seed} repeats the choices of this test`));
  let state = seed;
  return () => {
    // Lehmer's generator; the modulus is a prime.
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
