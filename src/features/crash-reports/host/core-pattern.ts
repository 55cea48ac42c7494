/** Values of a crash that kernel.core_pattern may name (core(5)). Null: not known, any value matches. */
export interface CoreFacts {
  readonly pid: number;
  readonly uid: number | null;
  readonly gid: number | null;
  /** Number of the signal. */
  readonly signal: number | null;
  readonly hostName: string;
  /** Path of the program. */
  readonly executable: string | null;
}

/** Where core dumps go: to a program or socket, to files, or to a place that cannot be found from here. */
export type CorePlace =
  | { readonly kind: "program"; readonly command: string }
  | { readonly kind: "files"; readonly folder: string; readonly name: RegExp }
  | { readonly kind: "unknown" };

const ANY = "[^/]*";
const NUMBER = "\\d+";

/** `usesPid`: the setting kernel.core_uses_pid. */
export function corePlaceOf(pattern: string, facts: CoreFacts, usesPid: boolean): CorePlace {
  const text = pattern.replace(/\n$/, "");
  if (text === "") return { kind: "unknown" };
  if (text.startsWith("|") || text.startsWith("@")) return { kind: "program", command: text.slice(1) };
  const cut = text.lastIndexOf("/") + 1;
  const folder = literalOf(text.slice(0, cut), facts);
  if (folder === null) return { kind: "unknown" };
  const suffix = usesPid && !text.includes("%p") ? `\\.${facts.pid}` : "";
  const name = pieces(text.slice(cut), facts).map((piece) => ("literal" in piece ? escaped(piece.literal) : piece.expression));
  return { kind: "files", folder, name: new RegExp(`^${name.join("")}${suffix}$`, "s") };
}

type Piece = { readonly literal: string } | { readonly expression: string };

/** Null: it depends on something that is not known. */
function literalOf(template: string, facts: CoreFacts): string | null {
  let text = "";
  for (const piece of pieces(template, facts)) {
    if (!("literal" in piece)) return null;
    text += piece.literal;
  }
  return text;
}

function pieces(template: string, facts: CoreFacts): Piece[] {
  return [...template.matchAll(/%(.)|%$|[^%]+/gs)].map(([whole, letter]) => {
    if (letter === undefined) return { literal: whole === "%" ? "" : whole };
    return pieceOf(letter, facts);
  });
}

function pieceOf(letter: string, { pid, uid, gid, signal, hostName, executable }: CoreFacts): Piece {
  const known = (value: number | null): Piece => (value === null ? { expression: NUMBER } : { literal: String(value) });
  switch (letter) {
    case "%":
      return { literal: "%" };
    case "p":
      return known(pid);
    case "u":
      return known(uid);
    case "g":
      return known(gid);
    case "s":
      return known(signal);
    case "h":
      return { literal: hostName.replaceAll("/", "!") };
    case "E":
      return executable === null ? { expression: ANY } : { literal: executable.replaceAll("/", "!") };
    // The pid in the machine's namespace, threads, time, dump mode, limit and CPU are not known; nor the name of a thread.
    case "P":
    case "i":
    case "I":
    case "t":
    case "d":
    case "c":
    case "C":
      return { expression: NUMBER };
    case "e":
    case "f":
      return { expression: ANY };
    default:
      // The kernel drops what it does not know.
      return { literal: "" };
  }
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
