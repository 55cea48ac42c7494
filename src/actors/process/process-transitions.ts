/** Transitions that several states of process-machine.ts share. */

const start = { type: "request", params: { to: "start" } } as const;
const stop = { type: "request", params: { to: "stop" } } as const;

export const inPlace = { start: { actions: start }, restart: { actions: start }, stop: { actions: stop } } as const;

/** Any living run fulfils a start; only a new one fulfils a restart. */
export const requestStart = { type: "requestRun", params: { replace: false } } as const;
export const requestRestart = { type: "requestRun", params: { replace: true } } as const;

const restartAnew = { type: "startAnew", params: { replace: true } } as const;

/** The transitions of a launch, with `actions`: a launch is one step, because each step of a start counts with thousands of processes. */
function launching<Actions>(actions: Actions) {
  return [
    { guard: "dependencyMissing", target: "#process.waiting", actions },
    { guard: "treeLives", target: "#process.starting.clearing", actions },
    { target: "#process.starting.spawning", actions },
  ] as const;
}

/** The launch of a process without a past. */
export const launchFirst = launching([] as const);
/** Launches that a state begins by itself. */
export const launchAtOnce = launching("forgetPast" as const);
export const launch = launching({ type: "launchAnew" } as const);
export const giveUp = { target: "#process.stopped", actions: stop } as const;
export const stopAlive = { target: "#process.stopping", actions: stop } as const;
export const restartAlive = { target: "#process.stopping", actions: restartAnew } as const;
export const startAfterStop = { actions: restartAnew } as const;
export const daemonDied = { target: "#process.error", actions: "blameDaemon" } as const;
/** Used in states in which nothing has begun yet: the request is kept. */
export const startLater = { actions: [start, requestStart] } as const;
export const restartLater = { actions: [start, requestRestart] } as const;

/** The host started another run without this manager: its counters apply, and it is judged like a run of an earlier manager. */
export const restartedByHost = { guard: "restartedByHost", target: "#process.adopting", actions: "takeRunOfHost" } as const;
/** A living run where none is expected: the host's run table is authoritative. */
export const atRest = [restartedByHost, { guard: "seenAlive", target: "#process.adopting", actions: "takeRun" }] as const;
const spawnNews = [
  { guard: "seenFailed", target: "#process.error", actions: ["takeRun", "blameRecord"] },
  { guard: "runReported", target: "#process.started", actions: ["takeRun", "againUnlessPlain"] },
] as const;
export const whileSpawning = { "run.*": spawnNews, report: [restartedByHost, ...spawnNews] } as const;
export const whileRunning = [
  restartedByHost,
  { guard: "seenEnded", target: "#process.judging", actions: "takeRun" },
  { guard: "seenStoppingForFailure", target: "#process.stopping", actions: "takeRun" },
  { guard: "seenStopping", target: "#process.stopping", actions: ["takeRun", requestRestart] },
  { guard: "unknownToHost", target: "#process.error", actions: ["blameDaemon", "again"] },
] as const;
export const running = {
  stop: stopAlive,
  restart: restartAlive,
  "liveness.failed": { target: "#process.stopping", actions: "blameLiveness" },
  recycle: { guard: "isCurrentRun", target: "#process.stopping", actions: "blameRecycle" },
  "files.changed": { target: "#process.stopping", actions: ["noteFilesChanged", "resetCounters", requestRestart] },
  "host.died": daemonDied,
} as const;
