/**
 * Control sequences of terminals (ECMA-48): CSI with parameters, OSC and other strings up to BEL or ST, and the short ones. An unfinished
 * one at the end matches as well: it was cut by a read. Every alternative matches in linear time.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are made of control characters.
const ESCAPE_SEQUENCES = /\x1b(?:\[[0-?]*[ -/]*(?:[@-~]|$)|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\|$)|[ -/]+(?:[0-~]|$)|[0-OQ-WYZ\\`-~]|$)/gu;

/** `text` as a person reads it: without escape sequences, and with the terminal's CR LF as plain line ends. */
export function stripEscapes(text: string): string {
  return text.replace(ESCAPE_SEQUENCES, "").replaceAll("\r\n", "\n");
}
