import { InvalidArgumentError, Option } from "commander";

export const SPREADSHEET = "csv: put an apostrophe before text that a spreadsheet would take for a formula";

/** The option `--format`; `mat`, the ending of its files, means matlab. */
export function formatOption(formats: readonly string[], preset: string): Option {
  return new Option("--format <format>", `format of the file: ${formats.join(", ")}`).default(preset).argParser((text: string) => {
    const format = text === "mat" ? "matlab" : text;
    if (!formats.includes(format)) throw new InvalidArgumentError(`Allowed choices are ${formats.join(", ")}.`);
    return format;
  });
}
