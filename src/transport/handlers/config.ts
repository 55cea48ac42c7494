import { ConfigError } from "../../config/schema/problems.ts";
import type { ConfigFileProblem } from "../../protocol/resources/config.ts";
import { formatTime } from "../../protocol/time.ts";
import type { FrameObject } from "../frame-schedule.ts";
import type { HandlerTable } from "./handler.ts";

type Types = "reload_config" | "request_plan" | "request_config_file" | "request_config_history" | "check_config_file" | "save_config_file";

const aboutConfiguration = (): FrameObject => ({ kind: "configuration", name: null });

export const configHandlers: HandlerTable<Types> = {
  reload_config: {
    kind: "request",
    about: aboutConfiguration,
    answer: async ({ dry_run = false }, { control, principal }) => {
      const { configuration } = control;
      const outcome = await withProblems(dry_run ? configuration.plan() : configuration.reload(principal.user));
      return [{ type: "config_reload_result", ...(outcome.ok ? { ...outcome.value, ok: true, problems: [] } : outcome) }];
    },
  },
  request_plan: {
    kind: "request",
    about: aboutConfiguration,
    answer: async (_frame, { control }) => {
      const outcome = await withProblems(control.configuration.plan());
      if (!outcome.ok) return [{ type: "plan", ...outcome }];
      const { unchanged: _unchanged, restart_needed: _running, ...plan } = outcome.value;
      return [{ type: "plan", ok: true, ...plan, problems: [] }];
    },
  },
  request_config_file: {
    kind: "request",
    about: aboutConfiguration,
    answer: async ({ path, hash }, { control }) => [{ type: "config_file", ok: true, ...(await control.configuration.file(path, hash)) }],
  },
  request_config_history: {
    kind: "request",
    about: aboutConfiguration,
    answer: async ({ path }, { control }) => {
      const { versions, ...file } = await control.configuration.history(path);
      const shown = versions.map(({ hash, time, by, size }) => ({ hash, time: formatTime(time), by, size }));
      return [{ type: "config_history", ok: true, ...file, versions: shown }];
    },
  },
  check_config_file: {
    kind: "request",
    answer: async ({ path, content }, { control, requester }) => {
      const outcome = await withProblems(control.configuration.check({ path, content }, requester));
      return [{ type: "config_file_checked", path, ...(outcome.ok ? { ok: true, problems: [] } : outcome) }];
    },
  },
  save_config_file: {
    kind: "request",
    about: aboutConfiguration,
    answer: async ({ path, content, base_hash }, { control, principal }) => {
      const outcome = await withProblems(control.configuration.save({ path, content, baseHash: base_hash }, principal.user));
      return [{ type: "config_file_saved", path, ...(outcome.ok ? { ok: true, hash: outcome.value, problems: [] } : outcome) }];
    },
  },
};

type Outcome<T> = { ok: true; value: T } | { ok: false; code: "bad_field"; message: string; problems: ConfigFileProblem[] };

/** An invalid configuration is an answer; other failures are refused like those of any frame. */
async function withProblems<T>(work: Promise<T>): Promise<Outcome<T>> {
  try {
    return { ok: true, value: await work };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const problems = error.problems.map(({ file, path, line, column, message }) => ({
      path: file,
      line,
      column,
      message: path === "" ? message : `${path}: ${message}`,
    }));
    return { ok: false, code: "bad_field", message: error.message, problems };
  }
}
