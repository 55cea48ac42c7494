/** 1, 2 or 5 times a power of ten milliseconds up to seconds; then as clocks count. */
const STEPS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 10e3, 15e3, 30e3, 60e3, 120e3, 300e3, 600e3, 1_800e3, 3_600e3];
const HOUR_MS = 3_600e3;

/** The least round distance between the ticks of a time axis, milliseconds, that is not below `least`. */
export const roundStep = (least: number): number => STEPS_MS.find((step) => step >= least) ?? HOUR_MS * Math.ceil(least / HOUR_MS);
