import { UnfitValue } from "../../model/failure.ts";

/** The pairs of supervisord's `environment`, such as `A="x y",B=2`; commas and line ends separate them. Throws UnfitValue. */
export function environmentPairs(text: string): [name: string, value: string][] {
  const tokens = [...text.matchAll(/\s*(?:"((?:[^"\\]|\\["\\]|\\(?!["\\]))*)"|'([^']*)'|(#.*)|([,=])|([^\s,='"#]+))/gy)];
  const used = tokens.reduce((sum, [all]) => sum + all.length, 0);
  if (text.slice(used).trim() !== "") throw new UnfitValue(`has '${text.slice(used).trim().slice(0, 20)}', which is no NAME="value"`);
  const words: { text: string; isMark: boolean }[] = [];
  let end = 0;
  for (const [index, token] of tokens.entries()) {
    const [all, double, single, comment, mark, plain] = token;
    if (comment !== undefined) continue;
    const value = double?.replace(/\\(["\\])/g, "$1") ?? single ?? mark ?? plain ?? "";
    const last = words.at(-1);
    // Without a blank, quoted and plain parts are one word.
    const isJoined = index > 0 && mark === undefined && last !== undefined && !last.isMark && token.index === end && !/^\s/.test(all);
    if (isJoined) last.text += value;
    else words.push({ text: value, isMark: mark !== undefined });
    end = token.index + all.length;
  }
  return pairsOf(words);
}

function pairsOf(words: readonly { text: string; isMark: boolean }[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at < words.length; ) {
    const [name, equals, value] = words.slice(at, at + 3);
    if (name === undefined || name.isMark || equals?.text !== "=" || !equals.isMark || value === undefined || value.isMark)
      throw new UnfitValue(`has '${name?.text ?? ""}', which is no NAME="value"`);
    pairs.push([name.text, value.text]);
    at += 3;
    if (words[at]?.text === "," && words[at]?.isMark) at++;
  }
  return pairs;
}
