/** The signals of Linux by name. */
export const SIGNALS = [
  "SIGHUP",
  "SIGINT",
  "SIGQUIT",
  "SIGILL",
  "SIGTRAP",
  "SIGABRT",
  "SIGIOT",
  "SIGBUS",
  "SIGFPE",
  "SIGKILL",
  "SIGUSR1",
  "SIGSEGV",
  "SIGUSR2",
  "SIGPIPE",
  "SIGALRM",
  "SIGTERM",
  "SIGSTKFLT",
  "SIGCHLD",
  "SIGCONT",
  "SIGSTOP",
  "SIGTSTP",
  "SIGTTIN",
  "SIGTTOU",
  "SIGURG",
  "SIGXCPU",
  "SIGXFSZ",
  "SIGVTALRM",
  "SIGPROF",
  "SIGWINCH",
  "SIGIO",
  "SIGPOLL",
  "SIGPWR",
  "SIGSYS",
] as const;

/** Names of real-time signals as in shells: `SIGRTMIN`, `SIGRTMIN+3`, `SIGRTMAX-1`, `SIGRTMAX`. */
export const REAL_TIME_SIGNAL = /^SIGRT(MIN(\+([1-9]|[12][0-9]|30))?|MAX(-([1-9]|[12][0-9]|30))?)$/;
type RealTimeSignal = "SIGRTMIN" | "SIGRTMAX" | `SIGRTMIN+${number}` | `SIGRTMAX-${number}`;
export type Signal = (typeof SIGNALS)[number] | RealTimeSignal;

/** Numbers of the real-time signals that glibc leaves to programs; it keeps 32 and 33 for its threads. */
export const RTMIN = 34;
export const RTMAX = 64;

export function isSignal(text: string): text is Signal {
  return SIGNALS.some((each) => each === text) || REAL_TIME_SIGNAL.test(text);
}

/** The kernel's number of a real-time signal; null for another one. */
export function realTimeNumber(name: string): number | null {
  const [, base, above, below] = /^SIGRT(MIN|MAX)(?:\+(\d+)|-(\d+))?$/.exec(name) ?? [];
  if (base === undefined) return null;
  return base === "MIN" ? RTMIN + Number(above ?? 0) : RTMAX - Number(below ?? 0);
}
