// The type of an MCAP file, for other features that read one: its program is loaded with what opens it.
export type { RecordedFile } from "./recorded-file.ts";
