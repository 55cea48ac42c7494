import type { RecordSettings } from "../config.ts";
import type { RecordingSpec } from "../contract.ts";
import type { RecordingRequest } from "./recordings.ts";

/** The specification for the hosts: the request, completed from the configuration. */
export function recordingSpec(request: RecordingRequest, settings: RecordSettings): RecordingSpec {
  const { max_duration, delete_oldest } = request;
  return {
    name: request.name,
    topics: request.topics ?? [...settings.topics],
    terminals: request.terminals ?? [...settings.terminals],
    include: request.include ?? [...settings.include],
    path: settings.path,
    max_size: request.max_size ?? settings.max_size,
    max_duration_ms: max_duration === undefined ? settings.max_duration : max_duration * 1_000,
    max_files: request.max_files ?? settings.max_files,
    min_free_space: request.min_free_space ?? settings.min_free_space,
    on_full: delete_oldest === undefined ? settings.on_full : delete_oldest ? "delete_oldest" : "stop",
  };
}
