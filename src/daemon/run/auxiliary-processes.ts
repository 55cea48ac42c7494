import type { Program as ProgramSpec } from "../../contract/run.ts";
import { type AuxiliaryProcess, adoptAuxiliaryProcess, startAuxiliaryProcess } from "../process/auxiliary-process.ts";
import type { Program } from "../process/program.ts";
import { besides } from "../process/run-program.ts";
import type { TrackedTree } from "../tree/tree-reaper.ts";

interface AuxiliaryProcessesOptions {
  /** The main program of the run, and its pid. */
  readonly program: Program;
  readonly pid: number;
  readonly tree: Pick<TrackedTree, "join">;
}

/** Programs that run beside the main program of one run, as parts of its tree: probes, and the command of its stop. */
export class AuxiliaryProcesses {
  readonly #options: AuxiliaryProcessesOptions;
  readonly #living = new Set<AuxiliaryProcess>();

  constructor(options: AuxiliaryProcessesOptions) {
    this.#options = options;
  }

  /** Pids of those that have not ended. */
  get pids(): number[] {
    return [...this.#living].flatMap(({ pid }) => (pid === null ? [] : [pid]));
  }

  /** Starts a program with the folder, user and environment of the run. */
  start(spec: ProgramSpec): AuxiliaryProcess {
    const { program, pid, tree } = this.#options;
    return this.#add(startAuxiliaryProcess(besides(program, spec, pid), (start) => tree.join(start)));
  }

  /** Takes over one that this process had started before its own program was replaced. */
  adopt(pid: number): AuxiliaryProcess {
    return this.#add(adoptAuxiliaryProcess(pid, (start) => this.#options.tree.join(start)));
  }

  #add(auxiliary: AuxiliaryProcess): AuxiliaryProcess {
    this.#living.add(auxiliary);
    void auxiliary.ended.then(() => this.#living.delete(auxiliary));
    return auxiliary;
  }
}
