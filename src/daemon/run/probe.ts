import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import { messageOf } from "../../base/errors.ts";
import type { Clock } from "../../base/timing/clock.ts";
import type { FeatureProbe, Probe, Program as ProbeProgram, RunCheck, RunSpec } from "../../contract/run.ts";
import type { AuxiliaryProcess } from "../process/auxiliary-process.ts";

export interface ProbeContext {
  clock: Clock;
  /** Starts a program with the run's folder, user and environment. */
  start: (program: ProbeProgram) => AuxiliaryProcess;
  features: FeatureProbes;
}

/** Checks of a run by the host's features. */
export interface FeatureProbes {
  begin(probe: FeatureProbe): BeginAttempt;
  /** Describes the probe for messages. */
  describe(probe: FeatureProbe): string;
  /** Checks a run until the returned function is called; `report` gets all checks, at the first result of each and after each change. */
  watch(spec: RunSpec, report: (checks: readonly RunCheck[]) => void): () => void;
}

/** An attempt in progress. `outcome` is null on success, else the reason. It never rejects, and settles within the probe's time. */
interface Attempt {
  outcome: Promise<string | null>;
  cancel(): void;
}

/** Begins an attempt, which calls `done` once. Call the returned `end` after that at the latest. */
export type BeginAttempt = (done: (outcome: string | null) => void) => () => void;

/** Makes one attempt. */
export function tryProbe(probe: Probe, context: ProbeContext): Attempt {
  let cancel = () => {};
  const outcome = new Promise<string | null>((resolve) => {
    let isOver = false;
    let end = () => {};
    const settle = (result: string | null) => {
      if (isOver) return;
      isOver = true;
      context.clock.clearTimeout(timer);
      end();
      resolve(result);
    };
    const timer = context.clock.setTimeout(() => settle(`no answer within ${probe.timeout_ms / 1_000} s`), probe.timeout_ms);
    cancel = () => settle("cancelled");
    end = beginning(probe, context)(settle);
    // The answer may have come before `end` was known.
    if (isOver) end();
  });
  return { outcome, cancel };
}

/** Describes a probe for messages. */
export function describeProbe(probe: Probe, { features }: Pick<ProbeContext, "features">): string {
  switch (probe.kind) {
    case "tcp":
      return `tcp ${probe.host}:${probe.port}`;
    case "http":
      return `http ${probe.url}`;
    case "exec":
      return `exec '${probe.program.kind === "shell" ? probe.program.line : probe.program.argv.join(" ")}'`;
    default:
      return features.describe(probe);
  }
}

function beginning(probe: Probe, context: ProbeContext): BeginAttempt {
  switch (probe.kind) {
    case "tcp":
      return askTcp(probe);
    case "http":
      return askHttp(probe);
    case "exec":
      return (done) => {
        const auxiliary = context.start(probe.program);
        void auxiliary.ended.then(done);
        return () => auxiliary.kill();
      };
    default:
      return context.features.begin(probe);
  }
}

function askTcp({ host, port }: Extract<Probe, { kind: "tcp" }>): BeginAttempt {
  return (done) => {
    const socket = connect({ host, port });
    socket.once("connect", () => done(null));
    socket.on("error", (error) => done(reasonOf(error)));
    return () => socket.destroy();
  };
}

function askHttp({ url, status, headers }: Extract<Probe, { kind: "http" }>): BeginAttempt {
  return (done) => {
    const isSecure = url.startsWith("https:");
    try {
      // No agent: each attempt has its own connection. The certificate is not checked, as in kubelet: the probe checks whether the server
      // answers.
      const options = { headers: { "user-agent": "mgr", ...headers }, agent: false as const };
      const request = isSecure ? httpsRequest(url, { ...options, rejectUnauthorized: false }) : httpRequest(url, options);
      request.once("response", (response) => {
        response.on("error", () => {});
        const code = response.statusCode ?? 0;
        const holds = status === null ? code >= 200 && code <= 299 : code === status;
        done(holds ? null : `answered ${code}${status === null ? "" : ` instead of ${status}`}`);
      });
      request.on("error", (error) => done(reasonOf(error)));
      request.end();
      return () => request.destroy();
    } catch (error) {
      done(reasonOf(error));
      return () => {};
    }
  };
}

/** Reason of an error. If several addresses were tried, the combined error has a code and no message. */
function reasonOf(error: unknown): string {
  return messageOf(error) || ((error as NodeJS.ErrnoException).code ?? "it failed");
}
