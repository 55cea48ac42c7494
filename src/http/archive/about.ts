import { arch, cpus, hostname, machine, platform, release, totalmem, uptime, version } from "node:os";
import { VERSION } from "../package-files.ts";

/** What runs here and on what: versions and platform, no variables of any environment. */
export function environmentOf(managerName: string): object {
  const memory = process.memoryUsage();
  return {
    mgr: { version: VERSION, instance: managerName, pid: process.pid, uptime_seconds: Math.round(process.uptime()) },
    node: { ...process.versions },
    platform: { platform: platform(), arch: arch(), machine: machine(), release: release(), version: version(), hostname: hostname() },
    machine: { cpus: cpus().length, cpu_model: cpus()[0]?.model ?? "", memory_bytes: totalmem(), uptime_seconds: Math.round(uptime()) },
    memory: { resident_bytes: memory.rss, heap_used_bytes: memory.heapUsed, external_bytes: memory.external },
  };
}
