/** What untrusted text may not bring to a terminal: controls but for the line feed, separators, and what turns the direction of text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
export const ACTS_ON_TERMINAL = /[\0-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

/** A name with a bell, a title, a colour, a C1 control sequence and text that runs from right to left. */
export const HOSTILE = "evil\x07\x1b]0;title\x07\x1b[31m\x9b2J\u202eend";
