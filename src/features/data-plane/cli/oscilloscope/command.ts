import { messageOf } from "../../../../base/errors.ts";
import { CommandFailure, EXIT } from "../../../../cli/command/exit-codes.ts";
import { END_SIGNALS, untilInterrupted } from "../../../../cli/command/interrupt.ts";
import type { ConnectionFlags } from "../../../../cli/manager/connection-target.ts";
import { keysOf } from "../../../../cli/terminal/keys.ts";
import { Screen } from "../../../../cli/terminal/screen.ts";
import { type DataClient, ServiceError } from "../../client/index.ts";
import { connectData, needBusAddress } from "../topic/bus.ts";
import { INITIAL, type OscilloscopeState, press } from "./model.ts";
import { picture, type ShownTrace } from "./picture.ts";
import { Traces } from "./traces.ts";

export interface OscilloscopeFlags extends ConnectionFlags {
  /** Length of the time axis, seconds. */
  window: number;
}

/** Interval between pictures, milliseconds: ten a second show a line grow, and need little of a slow connection. */
const DRAW_MS = 100;
/** Interface of the scope's service (docs/clients.md, "Scope"). */
const INTERFACE = {
  name: "mgr.scope.v1",
  endpoints: {
    open: {
      description: "Shows a trace: a topic and one of its fields",
      request: { type: "object", properties: { trace: { type: "string" } }, required: ["trace"] },
      response: { type: "object" },
    },
  },
};

/** `mgr scope [TRACE…]`: live plots of fields of topics, until q. */
export async function oscilloscope(names: string[], flags: OscilloscopeFlags): Promise<void> {
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new CommandFailure(EXIT.usage, "mgr scope needs a terminal; use mgr topic echo --csv in pipes");
  const address = await needBusAddress(flags, "mgr scope");
  const problems: string[] = [];
  const client = await connectData(address, "scope", (message) => problems.push(message));
  await using view = new Oscilloscope(client, problems, flags.window);
  // Invalid names are refused before the terminal shows the scope.
  for (const name of names) view.open(name);
  await view.run();
}

class Oscilloscope implements AsyncDisposable {
  readonly #client: DataClient;
  readonly #problems: string[];
  readonly #traces: Traces;
  readonly #screen = new Screen();
  #state: OscilloscopeState;
  /** The traces as they were when the picture was paused. */
  #frozen: readonly ShownTrace[] | null = null;
  #range = { low: -1, high: 1 };
  #stop = () => {};

  constructor(client: DataClient, problems: string[], window: number) {
    this.#client = client;
    this.#problems = problems;
    this.#state = { ...INITIAL, window };
    this.#traces = new Traces((topic, onMessage) => client.subscribe(topic, { onMessage }), now);
  }

  open(name: string): void {
    this.#traces.open(name);
  }

  /** Resolves when the user quits. The terminal is restored in any case. */
  async run(): Promise<void> {
    const { stdin, stdout } = process;
    const typed = (data: Buffer) => {
      for (const { key } of keysOf(data.toString())) this.#press(key);
    };
    const redraw = () => {
      this.#screen.forget();
      this.#draw();
    };
    const ended = new Promise<void>((resolve) => {
      this.#stop = resolve;
    });
    const stop = () => this.#stop();
    const continued = () => {
      stdin.setRawMode(true);
      redraw();
    };
    const service = this.#client.provide(`${this.#client.name}/scope`, INTERFACE, (request) => this.#asked(request));
    const timer = setInterval(() => this.#draw(), DRAW_MS);
    try {
      this.#screen.enter();
      stdout.on("resize", redraw);
      process.on("SIGCONT", continued);
      stdin.on("data", typed).once("end", stop).resume();
      this.#draw();
      await untilInterrupted((interrupted) => {
        interrupted.addEventListener("abort", stop);
        return ended;
      }, END_SIGNALS);
    } finally {
      clearInterval(timer);
      service.stop();
      stdin.off("data", typed).pause();
      stdout.off("resize", redraw);
      process.off("SIGCONT", continued);
      this.#screen.restore();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close();
  }

  #asked(request: unknown): object {
    const trace: unknown = Reflect.get(Object(request), "trace");
    if (typeof trace !== "string") throw new ServiceError(400, "trace: must be text, for example arm/state.position[0]");
    try {
      this.#traces.open(trace);
    } catch (error) {
      throw new ServiceError(400, messageOf(error), { cause: error });
    }
    this.#state = { ...this.#state, selected: trace, message: { text: `opened ${trace}`, isBad: false } };
    return {};
  }

  #press(key: string): void {
    const { state, command } = press(this.#state, key, { traces: this.#traces.all, now: now(), range: this.#range });
    if (state.pausedAt === null) this.#frozen = null;
    else if (this.#state.pausedAt === null) this.#frozen = this.#traces.all.map((trace) => ({ ...trace, buffer: trace.buffer.copy() }));
    this.#state = state;
    if (command?.kind === "quit") this.#stop();
    else if (command?.kind === "redraw") this.#screen.forget();
    else if (command?.kind === "clear") this.#traces.clear();
    else if (command?.kind === "remove") this.#traces.remove(command.name);
    else if (command?.kind === "hide") {
      for (const trace of this.#traces.all) if (trace.name === command.name) trace.isHidden = !trace.isHidden;
    }
    this.#draw();
  }

  #draw(): void {
    const [problem] = this.#problems.splice(0);
    if (problem !== undefined) this.#state = { ...this.#state, message: { text: problem, isBad: true } };
    this.#state = { ...this.#state, lost: this.#client.isConnected ? null : "trying again" };
    const { lines, range } = picture(this.#state, this.#shown(), this.#screen.size, this.#state.pausedAt ?? now());
    this.#range = range;
    this.#screen.draw(lines);
  }

  /** While paused, the values of that time; traces that were hidden or removed since are not shown. */
  #shown(): readonly ShownTrace[] {
    const frozen = this.#frozen;
    if (frozen === null) return this.#traces.all;
    return this.#traces.all.map((trace) => ({ ...trace, buffer: frozen.find(({ name }) => name === trace.name)?.buffer ?? trace.buffer }));
  }
}

function now(): number {
  return performance.now() / 1_000;
}
