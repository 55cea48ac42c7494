/** The beginnings of reasons by which programs distinguish failures. */
export const CRASH_LOOP = "crash loop: ";
export const NOT_READY = "not ready within ";
