import { MAX_PRESET_NAME_CHARS } from "./limits.ts";

/** Never a path, a hidden file, or the temporary name of a file that is being written. */
export const PRESET_NAME = new RegExp(`^[A-Za-z0-9][A-Za-z0-9._-]{0,${MAX_PRESET_NAME_CHARS - 1}}$`);
export const PRESET_NAME_RULE = `must be 1 to ${MAX_PRESET_NAME_CHARS} letters, digits, '.', '_' and '-', and begin with a letter or digit`;
