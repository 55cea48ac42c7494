/** The keys above a line that contain it by their indentation: a line that is being typed is not in the syntax tree yet. */
export function pathByIndent(doc: { line(number: number): { text: string } }, lineNumber: number, indent: number): string[] {
  const path: string[] = [];
  let depth = indent;
  for (let at = lineNumber - 1; at >= 1 && depth > 0; at--) {
    const match = /^(\s*)((?:- )*)([^\s#][^:]*):(?:\s|$)/.exec(doc.line(at).text);
    if (!match) continue;
    const [, lead = "", dashes = "", key = ""] = match;
    if (lead.length >= depth) continue;
    if (dashes !== "" && lead.length + dashes.length >= depth) {
      path.unshift("[]");
      depth = lead.length;
      continue;
    }
    path.unshift(key.trim().replace(/^(["'])(.*)\1$/, "$2"));
    depth = lead.length;
    if (dashes !== "") path.unshift("[]");
  }
  return path;
}
