import type { Clock } from "../../../base/timing/clock.ts";

/** Part of the time after which systemd ends a silent service: two lost messages do no harm. */
const WATCHDOG_PARTS = 3;
/** Variables that only the process that systemd has started may use. */
const VARIABLES = ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] as const;

interface Settings {
  /** Address of the socket, for UnixDatagramSocket. */
  readonly address: string;
  /** Interval of the signs of life, milliseconds; null: none are expected. */
  readonly intervalMs: number | null;
}

/**
 * Takes the settings of systemd's protocol (sd_notify(3), sd_watchdog_enabled(3)) out of an environment, so that no child has them; null: none are
 * there.
 */
export function serviceSettings(environment: NodeJS.ProcessEnv): Settings | null {
  const { NOTIFY_SOCKET: path = "", WATCHDOG_USEC: limit = "", WATCHDOG_PID: pid = "" } = environment;
  for (const name of VARIABLES) delete environment[name];
  if (!/^[/@]./.test(path)) return null;
  const isExpected = /^[1-9]\d{0,14}$/.test(limit) && (pid === "" || pid === String(process.pid));
  return {
    address: path.startsWith("@") ? `\0${path.slice(1)}` : path,
    intervalMs: isExpected ? Number(limit) / 1_000 / WATCHDOG_PARTS : null,
  };
}

interface NotifierOptions extends Pick<Settings, "intervalMs"> {
  readonly clock: Pick<Clock, "setTimeout" | "clearTimeout">;
}

/** Tells systemd the state of this service. */
export class ServiceNotifier {
  readonly #socket: { send(datagram: Buffer): boolean; close(): void };
  readonly #options: NotifierOptions;
  #timer: unknown = null;

  constructor(socket: { send(datagram: Buffer): boolean; close(): void }, options: NotifierOptions) {
    this.#socket = socket;
    this.#options = options;
  }

  /** The manager serves its clients. From now on signs of life are sent, by the event loop: one that hangs sends none. */
  begin(): void {
    this.#socket.send(Buffer.from("READY=1"));
    this.#again();
  }

  /** The manager stops its processes, which takes as long as they take. Signs of life go on. */
  end(): void {
    this.#try("STOPPING=1");
  }

  close(): void {
    this.#options.clock.clearTimeout(this.#timer);
    this.#socket.close();
  }

  #again(): void {
    const { clock, intervalMs } = this.#options;
    if (intervalMs === null) return;
    this.#timer = clock.setTimeout(() => {
      this.#try("WATCHDOG=1");
      this.#again();
    }, intervalMs);
  }

  #try(text: string): void {
    try {
      this.#socket.send(Buffer.from(text));
    } catch {
      // systemd is being replaced, and listens again in a moment; without the next signs of life it restarts the manager.
    }
  }
}
