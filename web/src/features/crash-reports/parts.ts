/** The code that is loaded when the first of these is shown. */
export { CrashLink } from "./crash-link.tsx";
export { CrashSection } from "./crash-section.tsx";
export { CrashView } from "./crash-view.tsx";
