import { visible, visibleLines } from "../base/text/visible-text.ts";
import { EXIT, exitCodeOf, explain } from "./command/exit-codes.ts";
import { createProgram } from "./program.ts";
import { checkHelpWords } from "./suggestion.ts";

// A reader that closes early (`mgr logs x | head`) is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(EXIT.done);
  process.stderr.write(`mgr: cannot write the output: ${visible(error.message)}\n`);
  process.exit(EXIT.failed);
});
// Writing to a closed terminal fails. `mgr up` must continue: it is stopping its processes.
process.stderr.on("error", () => {});

let hasEnded = false;
process.once("beforeExit", () => {
  if (hasEnded) return;
  process.stderr.write("mgr: internal error: the command waits for something that cannot come\n");
  process.exitCode = EXIT.failed;
});
async function run(): Promise<void> {
  const program = createProgram(process.argv[2]);
  const [first, ...words] = process.argv.slice(2);
  checkHelpWords(program, process.argv.slice(2));
  // commander's own `help` describes the command of the first word only: of `mgr help topic hz` that is `topic`.
  if (first === "help" && words.length > 1) await program.parseAsync([...words, "--help"], { from: "user" });
  else await program.parseAsync();
}

run()
  .catch((error: unknown) => {
    if (error instanceof Error && "code" in error && typeof error.code === "string" && error.code.startsWith("commander.")) {
      // commander has printed its sentence or the help already.
      process.exitCode = "exitCode" in error && error.exitCode === 0 ? EXIT.done : EXIT.usage;
    } else {
      process.stderr.write(`mgr: ${visibleLines(explain(error))}\n`);
      process.exitCode = exitCodeOf(error);
    }
  })
  .finally(() => {
    hasEnded = true;
  });
