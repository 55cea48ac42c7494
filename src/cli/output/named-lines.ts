import stringWidth from "string-width";
import { OutputFilter } from "../../base/patterns/output-filter.ts";
import { visible } from "../../base/text/visible-text.ts";
import { type Colour, coloured, paint } from "./table.ts";
import { inColumns } from "./text-width.ts";

const COLOURS: readonly Colour[] = ["cyan", "yellow", "green", "magenta", "blue"];
/** Maximum width of the column of names, characters; longer names are not aligned. */
const MAX_NAME_WIDTH = 32;
/** Maximum length of a line without an end, characters; it is printed in pieces of this length. */
const MAX_LINE_CHARACTERS = 65_536;
/** Control sequences that OutputFilter keeps. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with it.
export const COLOUR = /\x1b\[[\d;:]*[mK]/gu;

export interface NamedLinesOptions {
  /** Names of the processes, which are aligned. */
  readonly names: Iterable<string>;
  /** Whether the output is for a terminal: without control sequences other than colours (docs/decisions/0025). */
  readonly isFiltered: boolean;
}

/** Output of several processes as whole lines, each with the coloured name of its process before it. */
export class NamedLines {
  readonly #isFiltered: boolean;
  readonly #width: number;
  readonly #processes = new Map<string, { prefix: string; filter: OutputFilter; rest: string; restTime: string }>();

  constructor({ names, isFiltered }: NamedLinesOptions) {
    this.#isFiltered = isFiltered;
    this.#width = Math.min(MAX_NAME_WIDTH, Math.max(0, ...Array.from(names, (name) => stringWidth(visible(name)))));
  }

  /** Returns the lines to print now; a line that has not ended waits. `time` stands before each line that begins in this output. */
  write(name: string, output: string, time = ""): string {
    const process = this.#process(name);
    const begunTime = process.rest === "" ? time : process.restTime;
    const lines = (process.rest + (this.#isFiltered ? process.filter.write(output) : output)).split("\n");
    const rest = lines.pop() ?? "";
    const isCut = rest.length > MAX_LINE_CHARACTERS;
    process.restTime = lines.length > 0 ? time : begunTime;
    process.rest = isCut ? "" : rest;
    return [...lines, ...(isCut ? [rest] : [])]
      .map((line, index) => this.#line(prefixOf(process, index === 0 ? begunTime : time), line))
      .join("");
  }

  /** Line that reports missing output. */
  gap(name: string, bytes: number): string {
    return `${this.#process(name).prefix}${paint("grey", `(${bytes} bytes skipped: they came faster than they could be printed)`)}\n`;
  }

  /** Returns the lines that have not ended. */
  end(): string {
    return [...this.#processes.values()]
      .map((process) => {
        const text = process.rest + (this.#isFiltered ? process.filter.end() : "");
        return text === "" ? "" : this.#line(prefixOf(process, process.restTime), text);
      })
      .join("");
  }

  #line(prefix: string, line: string): string {
    if (!this.#isFiltered) return `${prefix}${line.replace(/\r$/, "")}\n`;
    // A progress bar writes its line again and again: the newest text counts.
    const newest = line.replace(/\r+$/, "").split("\r").at(-1) ?? "";
    return `${prefix}${coloured ? `${newest}${newest.includes("\x1b") ? "\x1b[0m" : ""}` : newest.replace(COLOUR, "")}\n`;
  }

  #process(name: string) {
    const known = this.#processes.get(name);
    if (known) return known;
    const colour = COLOURS[this.#processes.size % COLOURS.length] ?? "cyan";
    const width = Math.max(this.#width, stringWidth(visible(name)));
    const process = { prefix: `${paint(colour, inColumns(name, width))} | `, filter: new OutputFilter(), rest: "", restTime: "" };
    this.#processes.set(name, process);
    return process;
  }
}

function prefixOf({ prefix }: { prefix: string }, time: string): string {
  return time === "" ? prefix : `${paint("grey", time)} ${prefix}`;
}
