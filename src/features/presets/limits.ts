/** Maximum size of the file of a preset, bytes. */
export const MAX_PRESET_BYTES = 1024 * 1024;
/** Maximum size of the files whose content is kept in memory, bytes. */
export const MAX_KEPT_BYTES = 8 * MAX_PRESET_BYTES;
/** Maximum number of values in a preset. */
export const MAX_PRESET_VALUES = 10_000;
/** Maximum number of files of the folder that are listed. */
export const MAX_PRESETS = 500;
/** Maximum length of the description of a preset, characters. */
export const MAX_DESCRIPTION_CHARS = 500;
/** Maximum length of the name of a preset, characters. */
export const MAX_PRESET_NAME_CHARS = 64;
