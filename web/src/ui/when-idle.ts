/** Maximum time that a task waits, ms; browsers without idle callbacks always wait that long. */
const MAX_WAIT_MS = 200;

/** Runs a task after those that draw the page, for what the user does not wait for. */
export function whenIdle(task: () => void): void {
  if ("requestIdleCallback" in window) requestIdleCallback(task, { timeout: MAX_WAIT_MS });
  else setTimeout(task, MAX_WAIT_MS);
}
