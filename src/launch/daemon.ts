import { fileURLToPath } from "node:url";
import { loadProgram } from "./load-program.ts";

loadProgram(fileURLToPath(new URL("daemon-main.cjs", import.meta.url)));
