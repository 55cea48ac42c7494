import type { Verb } from "../../actors/control.ts";
import { allows } from "../../base/access/access.ts";
import { aboutProcess, type HandlerContext, type HandlerTable } from "./handler.ts";

type Types =
  | "start_group"
  | "stop_group"
  | "restart_group"
  | "start_process"
  | "stop_process"
  | "restart_process"
  | "send_signal"
  | "send_stdin"
  | "send_winch"
  | "set_process_current_alternate_command"
  | "set_process_command_override"
  | "set_process_alternate_command_override"
  | "set_process_attribute"
  | "set_process_low_delay_output"
  | "set_process_no_skip_display"
  | "dump_startup_commands"
  | "request_process_detail";

/** A start, stop or restart. */
const order = (target: "process" | "group", verb: Verb) =>
  ({
    kind: "command",
    about: aboutProcess,
    isKept: true,
    run: ({ name }: { name: string }, { control, principal, starter }: HandlerContext) =>
      control.commands[target](verb, name, principal.user, starter),
  }) as const;

export const processHandlers: HandlerTable<Types> = {
  start_process: order("process", "start"),
  stop_process: order("process", "stop"),
  restart_process: order("process", "restart"),
  start_group: order("group", "start"),
  stop_group: order("group", "stop"),
  restart_group: order("group", "restart"),
  send_signal: {
    kind: "command",
    about: aboutProcess,
    run: ({ name, signal }, { control, principal }) => control.commands.sendSignal(name, signal, principal.user),
  },
  send_stdin: {
    kind: "command",
    about: aboutProcess,
    run: ({ name, text, reply = false }, context) => {
      // An unknown process is refused below, for replies too.
      if (reply && context.control.state.process(name) && !context.mayReply(name)) return;
      const queued = context.control.terminals.sendStdin(name, text);
      if (!reply) context.noteTyping(name);
      return queued;
    },
  },
  send_winch: {
    kind: "command",
    about: aboutProcess,
    run: ({ name, rows, cols }, context) => {
      context.control.terminals.resize(name, { rows, cols });
      context.noteResize(name);
    },
  },
  set_process_current_alternate_command: {
    kind: "command",
    about: aboutProcess,
    run: ({ name, which }, { control, principal }) => control.settings.selectCommand(name, which, principal.user),
  },
  set_process_command_override: {
    kind: "command",
    about: aboutProcess,
    run: ({ name, override }, { control, principal }) => control.settings.overrideCommand(name, "default", override, principal.user),
  },
  set_process_alternate_command_override: {
    kind: "command",
    about: aboutProcess,
    run: ({ name, which, override }, { control, principal }) => control.settings.overrideCommand(name, which, override, principal.user),
  },
  set_process_attribute: {
    kind: "request",
    about: aboutProcess,
    answer: async ({ name, attribute, value: asked }, { control, principal }) => {
      const value = await control.settings.setAttribute(name, attribute, asked, principal.user);
      return [{ type: "process_attribute_set_result", ok: true, name, attribute, value }];
    },
  },
  set_process_low_delay_output: {
    kind: "command",
    about: aboutProcess,
    run: ({ name, enabled }, { control, principal }) => control.settings.setFlag(name, "low_delay_output", enabled, principal.user),
  },
  set_process_no_skip_display: {
    kind: "command",
    about: aboutProcess,
    run: ({ name, enabled }, { control, principal }) => control.settings.setFlag(name, "no_skip_display", enabled, principal.user),
  },
  dump_startup_commands: {
    kind: "request",
    about: aboutProcess,
    answer: async ({ name }, { control }) => {
      const commands = await control.state.startupCommands(name);
      return [{ type: "process_startup_commands", ok: true, name, commands }];
    },
  },
  request_process_detail: {
    kind: "request",
    about: aboutProcess,
    answer: ({ name }, { control, principal, hiddenNames }) => {
      const detail = control.state.processDetail(name);
      const shown = hiddenNames?.detail(detail) ?? detail;
      const { environment: _environment, env_file: _files, ...definition } = shown.definition;
      // An environment may have secrets.
      const withheld = allows(principal.grants, "admin", name) ? {} : { environment: {}, definition };
      return [{ type: "process_detail", ok: true, name, ...shown, ...withheld }];
    },
  },
};
