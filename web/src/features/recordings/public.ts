// What other features may use of this one; it is loaded with their views. What reads files is in file/public.ts: it is large.
export { freeName } from "./topic-choice.ts";
export { TopicChooser } from "./topic-chooser.tsx";
