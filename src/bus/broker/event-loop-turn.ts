/**
 * How long the bus may work in one turn of the event loop before HTTP, timers and other work run, milliseconds
 * (docs/design/runtime-invariants.md, "Bus": nothing is delayed by more than 20 ms). Shared by broker and transports of this thread.
 */
export const TURN_MS = 4;

let began = 0;
let waiting: (() => void)[] = [];

/** Whether the bus has used up its share of the current turn. The first call in a turn starts the measurement. */
export function turnIsOver(): boolean {
  const now = performance.now();
  if (began === 0) {
    began = now;
    setImmediate(nextTurn);
    return false;
  }
  return now - began > TURN_MS;
}

/** Calls back in the next turn, when there is time to work again. */
export function inNextTurn(callback: () => void): void {
  if (waiting.length === 0 && began === 0) setImmediate(nextTurn);
  waiting.push(callback);
}

function nextTurn(): void {
  began = 0;
  const callbacks = waiting;
  waiting = [];
  for (const callback of callbacks) callback();
}
