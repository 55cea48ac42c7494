import { dirname, resolve } from "node:path";
import { ImportFailure } from "../../model/failure.ts";
import { Paths } from "../../model/values.ts";
import { type Convert, dotenvBeside } from "../kind.ts";
import { parseProcfile } from "./procfile.ts";

/** PORT of the first process, and the distance to that of the next one, as foreman sets it. */
const FIRST_PORT = 5_000;
const PORT_STEP = 100;
const MAX_PORT = 65_535;

/** Imports a Procfile, with the variables of `.env` beside it. */
export const convertProcfile: Convert = async (path, context) => {
  const { result, files } = context;
  const name = files.nameOf(path);
  const { entries, problems } = parseProcfile(await files.read(path));
  for (const { line, message } of problems)
    result.findings.dropped.push({
      key: `line ${line}`,
      place: { file: name, line },
      process: null,
      why: message,
      instead: "correct the line",
    });
  if (entries.length === 0) throw new ImportFailure(`${name} has no line 'name: command'`);
  const paths = new Paths(dirname(resolve(path)), context.target);
  const dotenv = await dotenvBeside(path, context);
  const firstPort = Number(dotenv?.PORT ?? context.environment.PORT ?? FIRST_PORT);
  for (const [index, { name: process, command, line }] of entries.entries()) {
    const place = { file: name, line };
    const draft = result.add(process, process, process, place);
    draft.begin(paths);
    draft.set("command", command);
    // Each line is one for sh there, also `exec …` and `A=1 …`.
    draft.set("shell", true);
    result.findings.carried.push({ key: process, place, process: draft.name, to: "command" });
    if (process === "release") {
      draft.set("autostart", false);
      const why = "platforms run it before each release, and not beside the others";
      result.findings.guessed.push({ key: process, place, process: draft.name, to: "autostart", why });
      draft.note("autostart", `guess: ${why}`);
    }
    if (dotenv !== null) draft.set("env_file", [paths.moved(".env")]);
    const port = (Number.isInteger(firstPort) ? firstPort : FIRST_PORT) + PORT_STEP * index;
    if (port > MAX_PORT) continue;
    draft.variable("PORT", String(port));
    const why = "PORT as foreman numbers it; programs that no other one connects to need none";
    result.findings.guessed.push({ key: process, place, process: draft.name, to: "environment.PORT", why });
    draft.note("environment", `guess: ${why}`);
  }
  if (dotenv !== null) result.findings.carried.push({ key: ".env", place: { file: ".env", line: 0 }, process: null, to: "env_file" });
};
