import { readdirSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, Gauge, Registry } from "prom-client";
import type { Control } from "../actors/control.ts";
import { PROCESS_STATES, type ProcessState } from "../protocol/process/process-state.ts";
import { LOG_LEVELS } from "../protocol/resources/resources.ts";
import type { Transport } from "../transport/websocket.ts";
import type { MetricsPart, MetricsWriter } from "./extension.ts";
import { VERSION } from "./package-files.ts";
import type { BusUpgrade } from "./server/bus-upgrade.ts";
import type { Connections } from "./server/connections.ts";

export interface MetricsSource {
  readonly control: Control;
  readonly transport: Pick<Transport, "frames" | "connections">;
  readonly connections: Connections;
  readonly bus: Pick<BusUpgrade, "stats"> | null;
  readonly parts: readonly MetricsPart[];
}

const PHASES = ["opening", "idle", "busy"] as const;
/** Resolution of the delay of the event loop, ms. */
const LOOP_RESOLUTION = 10;
/** The delay is measured for this long after a scrape, ms: the timer that measures it wakes an idle manager 100 times a second. */
const LOOP_MEASURED_MS = 300_000;
const NS_PER_S = 1e9;

/** The content of `/mgr/metrics`. Each part counts its own events; they are collected on request. */
export class Metrics {
  readonly #registry = new Registry();
  readonly #loop = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION });
  readonly #loopEnd = setTimeout(() => this.#loop.disable(), LOOP_MEASURED_MS).unref();
  readonly #unsubscribe: () => void;
  readonly #parts: readonly MetricsPart[];

  constructor({ control, transport, connections, bus, parts }: MetricsSource) {
    this.#parts = parts;
    this.#unsubscribe = this.#countLog(control);
    this.#aboutProcesses(control);
    this.#aboutConnections(transport, connections);
    if (bus) this.#aboutBus(bus);
    const writer: MetricsWriter = { gauge: (...metric) => this.#gauge(...metric), total: (...metric) => this.#total(...metric) };
    for (const { define } of parts) define(writer);
    this.#aboutItself();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Prometheus text. The event-loop delay is that since the previous text; the first one starts the measurement. */
  async text(): Promise<string> {
    await Promise.all(this.#parts.map(({ collect }) => collect?.()));
    const text = await this.#registry.metrics();
    this.#loop.reset();
    this.#loop.enable();
    this.#loopEnd.refresh();
    return text;
  }

  close(): void {
    clearTimeout(this.#loopEnd);
    this.#loop.disable();
    this.#unsubscribe();
  }

  #countLog(control: Control): () => void {
    const entries = this.#counter("mgr_log_entries_total", "Entries of the manager's log.", ["level"]);
    for (const level of LOG_LEVELS) entries.inc({ level }, 0);
    for (const { level } of control.log.entries()) entries.inc({ level });
    return control.log.subscribe(({ level }) => entries.inc({ level }));
  }

  #aboutProcesses(control: Control): void {
    this.#gauge("mgr_processes", "Processes by state.", ["state"], (gauge) => {
      // Counted before: with 100,000 processes, as many changes of the gauge take 30 ms of one turn.
      const counts = new Map<ProcessState, number>();
      for (const { state } of control.state.processes()) counts.set(state, (counts.get(state) ?? 0) + 1);
      for (const state of PROCESS_STATES) gauge.set({ state }, counts.get(state) ?? 0);
    });
    this.#gauge("mgr_process_restarts", "Restarts of all processes since their last requested starts.", [], (gauge) => {
      gauge.set(control.state.processes().reduce((sum, { restarts }) => sum + restarts, 0));
    });
    this.#gauge("mgr_host_ready", "Whether the host's daemon answers.", ["host"], (gauge) => {
      gauge.reset();
      for (const { name, daemon_ready } of control.state.hosts()) gauge.set({ host: name }, Number(daemon_ready));
    });
  }

  #aboutConnections(transport: MetricsSource["transport"], connections: Connections): void {
    this.#gauge(
      "mgr_connections",
      "TCP connections: before their first request, idle between requests, or being served.",
      ["phase"],
      (gauge) => {
        for (const phase of PHASES) gauge.set({ phase }, connections.countOf(phase));
      },
    );
    this.#total("mgr_connections_turned_away_total", "Connections that were closed or refused at the connection limit.", [], (counter) =>
      counter.inc(connections.turnedAway),
    );
    this.#gauge("mgr_websockets", "Open WebSockets by view.", ["view"], (gauge) => {
      for (const view of ["full", "single_process", "single_group", "log_only"]) gauge.set({ view }, 0);
      for (const { mode } of transport.connections()) gauge.inc({ view: mode.kind });
    });
    this.#total("mgr_frames_total", "WebSocket frames of the protocol.", ["direction"], (counter) => {
      counter.inc({ direction: "received" }, transport.frames.received);
      counter.inc({ direction: "sent" }, transport.frames.sent);
    });
    this.#total("mgr_bytes_total", "Bytes on the port: HTTP, WebSockets and TLS.", ["direction"], (counter) => {
      const { received, sent } = connections.traffic();
      counter.inc({ direction: "received" }, received);
      counter.inc({ direction: "sent" }, sent);
    });
  }

  #aboutBus(bus: Pick<BusUpgrade, "stats">): void {
    this.#gauge("mgr_bus_connections", "Connections of the manager's own broker.", ["kind"], (gauge) => {
      for (const kind of ["memory", "unix", "tcp", "websocket"]) gauge.set({ kind }, 0);
      for (const { kind } of bus.stats().clients) gauge.inc({ kind });
    });
    this.#gauge("mgr_bus_subscriptions", "Subscriptions of all connections.", [], (gauge) => gauge.set(bus.stats().subscriptions));
    this.#total(
      "mgr_bus_messages_total",
      "Messages published by clients (in), delivered (out), and lost by slow clients (dropped).",
      ["direction"],
      (counter) => {
        const { in_msgs, out_msgs, dropped_msgs } = bus.stats();
        counter.inc({ direction: "in" }, in_msgs);
        counter.inc({ direction: "out" }, out_msgs);
        counter.inc({ direction: "dropped" }, dropped_msgs);
      },
    );
    this.#total("mgr_bus_bytes_total", "Bytes of these messages.", ["direction"], (counter) => {
      const { in_bytes, out_bytes, dropped_bytes } = bus.stats();
      counter.inc({ direction: "in" }, in_bytes);
      counter.inc({ direction: "out" }, out_bytes);
      counter.inc({ direction: "dropped" }, dropped_bytes);
    });
    this.#gauge("mgr_bus_unread_bytes", "Bytes queued for the slowest connection.", [], (gauge) => {
      gauge.set(bus.stats().clients.reduce((most, { pending_bytes }) => Math.max(most, pending_bytes), 0));
    });
  }

  #aboutItself(): void {
    const { node } = process.versions;
    this.#gauge("mgr_info", "Always 1; versions are in the labels.", ["version", "node"], (gauge) =>
      gauge.set({ version: VERSION, node }, 1),
    );
    this.#gauge(
      "mgr_event_loop_delay_seconds",
      "Delay of the manager's event loop since the previous scrape, or in the 5 minutes after it.",
      ["quantile"],
      (gauge) => {
        for (const quantile of [0.5, 0.99]) gauge.set({ quantile: String(quantile) }, this.#delay(this.#loop.percentile(quantile * 100)));
        gauge.set({ quantile: "1" }, this.#delay(this.#loop.max));
      },
    );
    this.#gauge("mgr_resident_memory_bytes", "Resident memory of the manager.", [], (gauge) => gauge.set(process.memoryUsage.rss()));
    this.#gauge("mgr_open_descriptors", "Open descriptors of the manager.", [], (gauge) => gauge.set(readdirSync("/proc/self/fd").length));
    this.#gauge("mgr_uptime_seconds", "How long the manager has been running.", [], (gauge) => gauge.set(process.uptime()));
    this.#total("mgr_cpu_seconds_total", "CPU time of the manager.", [], (counter) => {
      const { user, system } = process.cpuUsage();
      counter.inc((user + system) / 1e6);
    });
  }

  /** The delay without the timer's own period; 0 if nothing was measured. */
  #delay(nanoseconds: number): number {
    return Math.max(0, Number.isFinite(nanoseconds) ? nanoseconds / NS_PER_S - LOOP_RESOLUTION / 1_000 : 0);
  }

  #counter(name: string, help: string, labelNames: string[]): Counter {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }

  #gauge(name: string, help: string, labelNames: string[], fill: (gauge: Gauge) => void): void {
    const gauge: Gauge = new Gauge({ name, help, labelNames, registers: [this.#registry], collect: () => fill(gauge) });
  }

  /** A counter whose total is kept elsewhere. */
  #total(name: string, help: string, labelNames: string[], fill: (counter: Counter) => void): void {
    const counter: Counter = new Counter({
      name,
      help,
      labelNames,
      registers: [this.#registry],
      collect: () => {
        counter.reset();
        fill(counter);
      },
    });
  }
}
