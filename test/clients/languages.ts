import { fileURLToPath } from "node:url";

const path = (file: string) => fileURLToPath(new URL(`../fixtures/clients/${file}`, import.meta.url));

export interface Language {
  readonly name: string;
  /** Starts a program that uses the library of this language. */
  readonly command: readonly string[];
  /** Has services, parameters, CDR and definitions. The library in C has topics only. */
  readonly isComplete: boolean;
}

export const TYPESCRIPT: Language = {
  name: "TypeScript",
  command: [process.execPath, "--import", "tsx", path("program.ts")],
  isComplete: true,
};
export const PYTHON: Language = { name: "Python", command: ["python3", path("program.py")], isComplete: true };
