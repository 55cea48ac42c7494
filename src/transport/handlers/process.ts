import type { HandlerTable } from "./handler.ts";

type Types = "start_process" | "stop_process" | "restart_process" | "send_signal" | "send_stdin" | "send_winch";

export const processHandlers: HandlerTable<Types> = {
  start_process: { kind: "command", run: ({ name }, { control, principal }) => control.startProcess(name, principal) },
  stop_process: { kind: "command", run: ({ name }, { control, principal }) => control.stopProcess(name, principal) },
  restart_process: { kind: "command", run: ({ name }, { control, principal }) => control.restartProcess(name, principal) },
  send_signal: {
    kind: "command",
    run: ({ name, signal }, { control, principal }) => control.sendSignal(name, signal, principal),
  },
  send_stdin: {
    kind: "command",
    run: ({ name, text }, { control, principal }) => control.sendStdin(name, text, principal),
  },
  send_winch: {
    kind: "command",
    run: ({ name, rows, cols }, { control, principal }) => control.sendWinch(name, rows, cols, principal),
  },
};
