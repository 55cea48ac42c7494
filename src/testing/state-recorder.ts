import type { ManagerClient } from "../app/index.ts";

/** Writes down every change of state that a connection sees, in order, as readable lines: `db: starting → started`. */
export class StateRecorder implements Disposable {
  readonly lines: string[] = [];
  readonly #leave: () => void;

  constructor(client: ManagerClient) {
    const states = new Map<string, string>();
    const subscription = client.frames$.subscribe((frame) => {
      if (frame.type !== "process_upsert") return;
      const { name, state } = frame.process;
      const before = states.get(name);
      states.set(name, state);
      if (before !== state) this.lines.push(before === undefined ? `${name}: ${state}` : `${name}: ${before} → ${state}`);
    });
    this.#leave = () => subscription.unsubscribe();
  }

  [Symbol.dispose](): void {
    this.#leave();
  }
}
