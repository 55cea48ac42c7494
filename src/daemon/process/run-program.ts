import { resolve } from "node:path";
import type { Program as ProgramSpec, RunSpec } from "../../contract/run.ts";
import { accountOf } from "./accounts.ts";
import { type Circumstances, childEnvironment } from "./environment.ts";
import type { Program } from "./program.ts";

/** Resolves a spec on this host, now. Rejects with `spawn_failed` for a user or an env file that cannot be used. */
export async function programOf(spec: RunSpec, own: Omit<Circumstances, "account">): Promise<Program> {
  const account = accountOf(spec.user);
  return {
    argv: argvOf(spec.program),
    cwd: resolve(spec.base_dir, spec.cwd),
    environment: await childEnvironment(spec, { ...own, account }),
    account,
    umask: spec.umask,
  };
}

/** Replaces a run's program with another one: with the run's folder, user and environment, and the pid of its leader in `MGR_PID`. */
export function besides(own: Program, program: ProgramSpec, pid: number): Program {
  return { ...own, argv: argvOf(program), environment: { ...own.environment, MGR_PID: String(pid) } };
}

function argvOf(program: ProgramSpec): readonly string[] {
  return program.kind === "exec" ? program.argv : ["/bin/sh", "-c", program.line];
}
