/** How long or often a test goes on: `ordinary` in the check, `long` with MGR_SOAK=1. */
export const soak = (ordinary: number, long: number): number => (process.env.MGR_SOAK === "1" ? long : ordinary);
