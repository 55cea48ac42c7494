import { bundledProgram } from "../../../files/bundled-program.ts";

/** The program of the worker thread, as CommonJS; the daemon's file contains it as text instead of this module. */
export const workerSource = (): string => bundledProgram("dist/replay.cjs");
