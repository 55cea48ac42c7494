import { messageOf } from "../../../../../src/base/errors.ts";

/** A filter of lines: plain text without regard to case, or a regular expression of RE2, whose time is linear in the line. */
export interface LineFilter {
  readonly text: string;
  readonly isRegex: boolean;
}

/** Compiles a filter. The result is a sentence if it cannot be used. The engine is loaded with the first expression. */
export async function compileFilter({ text, isRegex }: LineFilter): Promise<((line: string) => boolean) | string> {
  if (text === "") return () => true;
  if (!isRegex) {
    const wanted = text.toLowerCase();
    return (line) => line.toLowerCase().includes(wanted);
  }
  const { RE2JS } = await import("re2js");
  try {
    const pattern = RE2JS.compile(text, RE2JS.CASE_INSENSITIVE);
    return (line) => pattern.matcher(line).find();
  } catch (error) {
    return `The expression cannot be used: ${messageOf(error)}`;
  }
}
