// Other features may use this; it is loaded with their views. The reader of files is in file/public.ts, since it is large.
export { freeName } from "./topic-choice.ts";
export { TopicChooser } from "./topic-chooser.tsx";
