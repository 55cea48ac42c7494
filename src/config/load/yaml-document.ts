import { Composer, type CST, type Document, Lexer, LineCounter, Parser } from "yaml";

/**
 * Maximum number of open collections. The library composes them recursively: from some thousands on, the stack overflows, and a
 * regular expression that V8 has to compile at that depth ends the program (seen with yaml 2.9 and Node 20).
 */
const MAX_NESTING = 100;
const MAX_SYNTAX_ERRORS = 20;

export interface SyntaxProblem {
  offset: number;
  message: string;
}

export interface YamlDocument {
  lineCounter: LineCounter;
  /** Null if it cannot be used, which `problems` explains. */
  document: Document.Parsed | null;
  problems: SyntaxProblem[];
}

/** The parser does not report the line ends that it skips after a syntax error: later places would be in an earlier line. */
function lineCounterOf(text: string): LineCounter {
  const lineCounter = new LineCounter();
  for (let start = 0; ; ) {
    lineCounter.addNewLine(start);
    const end = text.indexOf("\n", start);
    if (end < 0) return lineCounter;
    start = end + 1;
  }
}

/** Parses the one document of `text`. Needs linear time and bounded stack for any text. */
export function parseYamlDocument(text: string): YamlDocument {
  const lineCounter = lineCounterOf(text);
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token);
    if (parser.stack.length > MAX_NESTING) {
      return { lineCounter, document: null, problems: [{ offset: parser.offset, message: "is nested too deeply" }] };
    }
  }
  for (const token of parser.end()) tokens.push(token);

  // The library's own check for duplicate keys takes quadratic time; yaml-source.ts does it.
  const composer = new Composer({ uniqueKeys: false });
  const [document, second] = composer.compose(tokens, true, text.length);
  const problems: SyntaxProblem[] = (document?.errors ?? []).slice(0, MAX_SYNTAX_ERRORS).map((error) => ({
    offset: error.pos[0],
    message:
      error.code === "TAB_AS_INDENT" ? "the indentation contains a tab; YAML requires spaces" : `is not valid YAML: ${error.message}`,
  }));
  if (second !== undefined) {
    problems.push({ offset: second.range[0], message: "a second YAML document begins here; remove the '---'" });
  }
  return { lineCounter, document: problems.length === 0 ? (document ?? null) : null, problems };
}
