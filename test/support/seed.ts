const { MGR_SEED = "1" } = process.env;

/** The same choices each time, so that a change is refused for what it broke and not by chance. MGR_SEED=random tries others, a number repeats them. */
export const SEED = MGR_SEED === "random" ? 1 + (Date.now() % 1_000_000) : Number(MGR_SEED);
