/** Commands of processes in tests: small shell programs that do what they are told by typing, so that nothing has to sleep. */
export const sh = (script: string): string[] => ["/bin/sh", "-c", script];

/** Runs until it is stopped; says "listening" after the first line typed into it. */
export const READY_WHEN_TYPED = sh("read go; echo listening; while read line; do echo typed $line; done");
/** Runs until it is stopped; repeats what is typed. */
export const ECHO = sh("echo hello; while read line; do echo you typed $line; done");
/** Ends with the exit code that is typed. */
export const EXIT_AS_TYPED = sh("read code; exit $code");
/** Ignores SIGTERM, and ends with exit code 0 once something is typed. */
export const STOPS_WHEN_TYPED = sh('trap "" TERM; echo trapped; read go; exit 0');
/** Ignores SIGTERM for good. */
export const IGNORES_TERM = sh('trap "" TERM; echo trapped; while :; do sleep 1000; done');
/** Leaves children behind that no hang-up and no signal to its group reaches: all ignore SIGTERM, too. */
export const WITH_STRAYS = sh(
  'trap "" TERM HUP; setsid sleep 1001 & nohup sleep 1002 >/dev/null 2>&1 & setsid setsid nohup sleep 1003 </dev/null >/dev/null 2>&1 & echo strayed; while :; do sleep 1004; done',
);
/** vi shows a line that fills its screen, below older output than a viewer draws first. It sets its margins as it starts, and never again. */
export const EDITOR = sh(
  "seq 300; { printf 'The first line.'; head -c 40000 /dev/zero | tr '\\0' x; } > text; TERM=xterm-256color exec vi -u NONE text",
);
