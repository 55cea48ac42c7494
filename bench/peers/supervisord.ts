import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import type { LiveProcesses } from "./live-processes.ts";
import type { Peer } from "./peer.ts";
import { DebianProgram } from "./program.ts";

/** supervisord of Debian's package `supervisor`, asked through its XML-RPC interface on a unix socket. */
export function supervisord(processes: LiveProcesses): Peer {
  const { dir, count } = processes;
  const socketPath = join(dir, "supervisor.sock");
  const sections = Array.from({ length: count }, (_, number) =>
    [
      `[program:p${number}]`,
      `command=${processes.command(number).join(" ")}`,
      "autostart=true",
      "autorestart=true",
      "startsecs=0",
      "stdout_logfile=NONE",
      "stderr_logfile=NONE",
    ].join("\n"),
  );
  const config = join(dir, "supervisord.conf");
  writeFileSync(
    config,
    `[supervisord]
nodaemon=true
logfile=${join(dir, "supervisord.log")}
pidfile=${join(dir, "supervisord.pid")}
childlogdir=${dir}
minfds=${4 * count + 100}
[unix_http_server]
file=${socketPath}
[rpcinterface:supervisor]
supervisor.rpcinterface_factory = supervisor.rpcinterface:make_main_rpcinterface
${sections.join("\n")}
`,
  );
  const program = new DebianProgram("supervisor", "supervisord", ["-c", config], dir);

  async function call(method: string, ...values: string[]): Promise<string> {
    const parameters = values.map((value) => `<param><value><string>${value}</string></value></param>`).join("");
    const asked = request({ socketPath, path: "/RPC2", method: "POST", headers: { "content-type": "text/xml" } });
    asked.end(`<?xml version="1.0"?><methodCall><methodName>supervisor.${method}</methodName><params>${parameters}</params></methodCall>`);
    const [answer] = (await once(asked, "response")) as [AsyncIterable<Buffer>];
    const parts: Buffer[] = [];
    for await (const part of answer) parts.push(part);
    const text = Buffer.concat(parts).toString();
    if (text.includes("<fault>")) throw new Error(`supervisord: ${method}: ${text}`);
    return text;
  }

  return {
    up: async () => program.start(),
    programs: () => program.pids,
    stop: async () => {
      await call("stopAllProcesses");
    },
    restart: async (number) => {
      await call("stopProcess", `p${number}`);
      await call("startProcess", `p${number}`);
    },
    status: async () => {
      const named = (await call("getAllProcessInfo")).split("<name>statename</name>").length - 1;
      if (named !== count) throw new Error(`supervisord named ${named} of ${count} processes`);
    },
    [Symbol.asyncDispose]: () => program.end(),
  };
}
