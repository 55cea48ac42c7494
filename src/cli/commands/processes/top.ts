import { MgrError, messageOf } from "../../../base/errors.ts";
import { pause, systemClock } from "../../../base/timing/clock.ts";
import { until } from "../../../base/timing/wait.ts";
import type { ManagerClient } from "../../../client/manager-client.ts";
import { CLI_FEATURES } from "../../../features/cli.ts";
import type { ManagerFrame } from "../../../protocol/frames/frames.ts";
import { CommandFailure, EXIT } from "../../command/exit-codes.ts";
import { END_SIGNALS, untilInterrupted } from "../../command/interrupt.ts";
import { connectManager, reconnectManager } from "../../manager/connection.ts";
import type { ConnectionFlags } from "../../manager/connection-target.ts";
import { keysOf } from "../../terminal/keys.ts";
import { Screen } from "../../terminal/screen.ts";
import { attachTo } from "./attach.ts";
import { loadsOf } from "./loads.ts";
import { type Command, press } from "./top/actions.ts";
import { INITIAL, type Load, selectedProcess, type TopState } from "./top/model.ts";
import { pageOf, picture } from "./top/picture.ts";

/** Interval between requests for the load, milliseconds. */
const LOADS_MS = 2_000;
/** Interval between requests for the curves of features, milliseconds. */
const TRENDS_MS = 10_000;
/** Changes within this time are drawn together, milliseconds. */
const DRAW_MS = 50;
/** Interval between requests for the output of the selected process, milliseconds, and number of lines: more than are visible. */
const OUTPUT_MS = 1_000;
const OUTPUT_LINES = 20;
/** Number of output lines shown first when attaching to a process. */
const ATTACH_LINES = 1_000;

/** `mgr top`: shows a live list on the whole terminal, until q. */
export async function top(flags: ConnectionFlags): Promise<void> {
  if (!process.stdin.isTTY || !process.stdout.isTTY)
    throw new CommandFailure(EXIT.usage, "mgr top needs a terminal; use mgr ps or mgr ps --json in pipes");
  await new Top(flags).run();
}

class Top {
  readonly #flags: ConnectionFlags;
  readonly #screen = new Screen();
  readonly #end = new AbortController();
  /** The newest connection; while it is lost, commands are refused with its reason. */
  #client: ManagerClient | null = null;
  #state = INITIAL;
  #top = 0;
  #isDue = false;
  #isAttached = false;
  #loadsTimer: NodeJS.Timeout | undefined;
  #trendsTimer: NodeJS.Timeout | undefined;
  /** The process whose output was requested last; aborting requests that of another at once. */
  #watched: { name: string | undefined; changed: AbortController } = { name: undefined, changed: new AbortController() };

  constructor(flags: ConnectionFlags) {
    this.#flags = flags;
  }

  /** Resolves when the user quits; rejects when the manager refuses the connection. The terminal is restored in any case. */
  async run(): Promise<void> {
    // Before the screen is set up: a connection error is shown in the normal terminal.
    const first = await connectManager(this.#flags);
    const { stdin, stdout } = process;
    const resized = () => this.#redraw();
    const stop = () => this.#end.abort();
    const typed = (data: Buffer) => {
      if (this.#isAttached) return;
      const text = data.toString();
      for (const { key, end } of keysOf(text)) {
        this.#press(key, stop);
        if (!this.#isAttached) continue;
        // The rest is for the process: it is kept until it is read after attaching.
        if (end < text.length) stdin.unshift(Buffer.from(text.slice(end)));
        return;
      }
    };
    try {
      await this.#adopt(first);
      this.#screen.enter();
      stdout.on("resize", resized);
      process.on("SIGCONT", this.#continued);
      stdin.on("data", typed).once("end", stop).resume();
      this.#set(this.#state);
      void this.#followOutput();
      await untilInterrupted((interrupted) => {
        interrupted.addEventListener("abort", stop);
        return this.#follow(first);
      }, END_SIGNALS);
    } catch (error) {
      if (!this.#end.signal.aborted) throw error;
    } finally {
      this.#end.abort();
      this.#watched.changed.abort();
      stdin.off("data", typed).pause();
      stdout.off("resize", resized);
      process.off("SIGCONT", this.#continued);
      clearTimeout(this.#loadsTimer);
      clearTimeout(this.#trendsTimer);
      this.#client?.close();
      this.#screen.restore();
    }
  }

  /** Uses this connection from now on. Rejects when it ends before the whole state has arrived. */
  async #adopt(client: ManagerClient): Promise<void> {
    this.#client = client;
    client.mirror.changes$.subscribe(() => this.#read(client));
    client.frames$.subscribe((frame) => this.#ring(frame));
    const { manager } = await client.snapshot();
    await client.mirror.current();
    this.#state = { ...this.#state, instance: `${manager.name}@${manager.host}`, lost: null };
    this.#read(client);
    void this.#followLoads(client);
    void this.#followTrends(client);
  }

  /** Follows one connection after the other; rejects when the user quits, or the manager refuses the next one. */
  async #follow(first: ManagerClient): Promise<never> {
    const { signal } = this.#end;
    for (let client = first; ; ) {
      const reason = await endOf(client, signal);
      clearTimeout(this.#loadsTimer);
      clearTimeout(this.#trendsTimer);
      for (;;) {
        this.#set({ ...this.#state, lost: reason, loads: new Map() });
        client = await reconnectManager(this.#flags, signal);
        try {
          await this.#adopt(client);
          break;
        } catch {
          // The connection was lost again before the whole state had arrived.
          client.close();
        }
      }
    }
  }

  /** Rings the bell of the terminal for what a feature notifies, also while a process is attached. */
  #ring(frame: ManagerFrame): void {
    if (CLI_FEATURES.some(({ ringsBell }) => ringsBell?.(frame))) process.stdout.write("\x07");
  }

  #press(key: string, stop: () => void): void {
    const { state, command } = press(this.#state, key, pageOf(this.#screen.size));
    this.#set(state);
    if (command?.kind === "quit") stop();
    else if (command) void this.#do(command);
  }

  async #do(command: Command): Promise<void> {
    try {
      if (command.kind === "redraw") this.#redraw();
      else if (command.kind === "suspend") this.#suspend();
      else if (command.kind === "attach") await this.#attach(command.name);
      else if (command.kind === "control") {
        const { verb, name } = command;
        await this.#connected().request({ type: `${verb}_process`, name });
        this.#say(`${verb} of ${name} was accepted`, false);
      }
    } catch (error) {
      this.#say(messageOf(error), true);
    }
  }

  /** Attaches the terminal to a process until Ctrl-]. */
  async #attach(name: string): Promise<void> {
    const client = this.#connected();
    const target = client.mirror.process(name);
    if (target === undefined) throw new MgrError("not_found", `'${name}' was removed from the configuration`);
    this.#isAttached = true;
    process.stdin.pause();
    this.#screen.restore();
    process.stdout.write(`\x1b[H\x1b[2J`);
    try {
      await attachTo(client, target, { lines: ATTACH_LINES, reconnect: null });
    } finally {
      this.#isAttached = false;
      this.#screen.enter();
      process.stdin.resume();
      this.#redraw();
    }
  }

  #suspend(): void {
    this.#screen.restore();
    process.kill(process.pid, "SIGSTOP");
  }

  readonly #continued = (): void => {
    if (this.#isAttached) return;
    this.#screen.enter();
    this.#redraw();
  };

  async #followLoads(client: ManagerClient): Promise<void> {
    const loads = (await loadsOf(client)) ?? new Map<string, Load>();
    if (this.#end.signal.aborted || client !== this.#client || this.#state.lost !== null) return;
    this.#set({ ...this.#state, loads });
    this.#loadsTimer = setTimeout(() => void this.#followLoads(client), LOADS_MS);
  }

  async #followTrends(client: ManagerClient): Promise<void> {
    const trend = CLI_FEATURES.find((feature) => feature.trend !== undefined)?.trend;
    if (trend === undefined) return;
    const curves = await trend.of(client).catch(() => new Map<string, string>());
    if (this.#end.signal.aborted || client !== this.#client || this.#state.lost !== null) return;
    this.#set({ ...this.#state, trends: curves.size === 0 ? null : { title: trend.title, curves } });
    this.#trendsTimer = setTimeout(() => void this.#followTrends(client), TRENDS_MS);
  }

  async #followOutput(): Promise<void> {
    while (!this.#end.signal.aborted) {
      const name = selectedProcess(this.#state)?.name;
      const changed = new AbortController();
      this.#watched = { name, changed };
      const client = this.#client;
      if (name !== undefined && client !== null && this.#state.lost === null && !this.#isAttached) {
        const answer = await client.request({ type: "get_process_output", name, lines: OUTPUT_LINES }).catch(() => null);
        if (answer !== null) this.#set({ ...this.#state, output: { name, text: answer.output } });
      }
      await pause(systemClock, OUTPUT_MS, changed.signal).catch(() => undefined);
    }
  }

  #read(client: ManagerClient): void {
    if (client !== this.#client) return;
    const { mirror } = client;
    this.#set({ ...this.#state, processes: mirror.processes(), hosts: new Map(mirror.hosts().map((host) => [host.name, host])) });
  }

  #connected(): ManagerClient {
    if (this.#client === null || this.#state.lost !== null)
      throw new MgrError("host_unavailable", "not connected to the manager; nothing was sent");
    return this.#client;
  }

  #say(text: string, isBad: boolean): void {
    this.#set({ ...this.#state, message: { text, isBad } });
  }

  #set(state: TopState): void {
    this.#state = state;
    if (this.#isDue) return;
    this.#isDue = true;
    setTimeout(() => {
      this.#isDue = false;
      this.#draw();
    }, DRAW_MS);
  }

  #redraw(): void {
    this.#screen.forget();
    this.#draw();
  }

  #draw(): void {
    const { name, changed } = this.#watched;
    if (selectedProcess(this.#state)?.name !== name) changed.abort();
    const { lines, top } = picture(this.#state, this.#screen.size, this.#top);
    this.#top = top;
    this.#screen.draw(lines);
  }
}

/** Resolves with the reason when the connection ends; rejects when `signal` is aborted. */
async function endOf(client: ManagerClient, signal: AbortSignal): Promise<string> {
  let reason: string | null = null;
  const subscribe = (check: () => void) => {
    const states = client.link.state$.subscribe((state) => {
      if (state.kind === "closed") ({ reason } = state);
      check();
    });
    return () => states.unsubscribe();
  };
  await until(() => reason !== null, subscribe, signal);
  return reason ?? "";
}
