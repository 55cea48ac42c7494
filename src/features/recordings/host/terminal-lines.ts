import { StringDecoder } from "node:string_decoder";

/** Maximum length of a line, characters; longer lines are split. */
const MAX_LINE_CHARS = 16 * 1024;
/** Control sequences of terminals: colours, cursor, titles. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with ESC
const CONTROL = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)|[@-Z\\-_])/g;

interface Begun {
  readonly decoder: StringDecoder;
  text: string;
}

/** Splits the terminal output of processes into lines of plain text. */
export class TerminalLines {
  readonly #emit: (process: string, line: string) => void;
  readonly #begun = new Map<string, Begun>();

  constructor(take: (process: string, line: string) => void) {
    this.#emit = take;
  }

  add(process: string, bytes: Uint8Array): void {
    const begun = this.#begun.get(process) ?? { decoder: new StringDecoder("utf8"), text: "" };
    this.#begun.set(process, begun);
    const pieces = (begun.text + begun.decoder.write(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))).split("\n");
    begun.text = pieces.pop() ?? "";
    for (const piece of pieces) this.#line(process, piece);
    for (; begun.text.length > MAX_LINE_CHARS; begun.text = begun.text.slice(MAX_LINE_CHARS))
      this.#line(process, begun.text.slice(0, MAX_LINE_CHARS));
  }

  /** Lines that have no end yet. */
  get begun(): { process: string; text: string }[] {
    return [...this.#begun].map(([process, { text }]) => ({ process, text }));
  }

  /** Continues a line of an earlier program. */
  adopt({ process, text }: { readonly process: string; readonly text: string }): void {
    this.#begun.set(process, { decoder: new StringDecoder("utf8"), text });
  }

  /** Passes on lines that have no end yet. */
  close(): void {
    for (const [process, { text }] of this.#begun) if (text !== "") this.#line(process, text);
    this.#begun.clear();
  }

  #line(process: string, text: string): void {
    this.#emit(process, text.replaceAll(CONTROL, "").replaceAll("\r", ""));
  }
}
