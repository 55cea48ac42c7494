import { refusalOf } from "../state/access.ts";

/** Why the user may not download the output of a process, as a sentence; null: the user may. */
export const downloadRefusal = (name: string): string | null => refusalOf({ need: "download", on: name }, "A download");

/** Why the user may not type into the terminal of a process, as a sentence; null: the user may. */
export const typingRefusal = (name: string): string | null => refusalOf({ type: "send_stdin", name }, "Typing");
