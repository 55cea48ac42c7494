import { CommandFailure, EXIT } from "../command/exit-codes.ts";

/** The file that a command writes: FILE, or the value of --output. */
export function outputOf(file: string | undefined, output: string | undefined): string | undefined {
  if (file !== undefined && output !== undefined) throw new CommandFailure(EXIT.usage, "give the file once: as FILE or with --output");
  return output ?? file;
}
