/**
 * How long the bus may work in one turn of the event loop before HTTP, timers and everybody else get theirs, milliseconds
 * (docs/design/runtime-invariants.md, "Bus": nothing is delayed by more than 20 ms). One account for broker and transports of this thread.
 */
export const TURN_MS = 4;

let began = 0;
let waiting: (() => void)[] = [];

/** Whether the bus has had its share of the present turn. The first question of a turn starts the account. */
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
