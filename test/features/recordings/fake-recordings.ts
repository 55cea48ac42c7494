import { MgrError } from "../../../src/base/errors.ts";
import type { DownloadedFile } from "../../../src/features/recordings/manager/downloads.ts";
import { recordingsExtension } from "../../../src/features/recordings/manager/index.ts";
import type { RecordedFileReader, RecordingRequest, Recordings } from "../../../src/features/recordings/manager/recordings.ts";
import type { Recording } from "../../../src/features/recordings/wire.ts";

/** Recordings that a test sets; `files` are by name. */
export class FakeRecordings implements Recordings {
  readonly extension = recordingsExtension(this);
  recordings: Recording[] = [];
  readonly calls: unknown[][] = [];
  readonly files = new Map<string, Buffer>();

  list(): Recording[] {
    return this.recordings;
  }

  async start(request: RecordingRequest, by: string): Promise<void> {
    this.calls.push(["start", request, by]);
  }

  async stop(name: string, by: string): Promise<void> {
    if (!this.recordings.some((recording) => recording.name === name)) throw new MgrError("not_found", `there is no recording '${name}'`);
    this.calls.push(["stop", name, by]);
  }

  async remove(name: string, file: { host?: string; file: string } | null, by: string): Promise<void> {
    this.calls.push(["remove", name, file, by]);
  }

  async open(_name: string, _host: string, file: string): Promise<RecordedFileReader> {
    const bytes = this.files.get(file);
    if (bytes === undefined) throw new MgrError("not_found", `there is no file '${file}'`);
    return { size: bytes.length, read: async (from, max) => bytes.subarray(from, from + max) };
  }

  async merge(name: string): Promise<DownloadedFile> {
    this.calls.push(["merge", name]);
    const file = await this.open(name, "", name);
    return { ...file, close: async () => void this.calls.push(["merged file closed", name]) };
  }
}
