import { MgrError } from "../../../src/base/errors.ts";
import { loggersExtension } from "../../../src/features/loggers/manager/index.ts";
import type { DownloadRequest, LoggerConfiguration, Loggers } from "../../../src/features/loggers/manager/loggers.ts";
import type { DaemonLogger } from "../../../src/features/loggers/wire.ts";
import type { DownloadedFile } from "../../../src/features/recordings/manager/downloads.ts";

/** Loggers that a test sets. */
export class FakeLoggers implements Loggers {
  readonly extension = loggersExtension(this);
  loggers: DaemonLogger[] = [];
  readonly calls: unknown[][] = [];
  /** What the next downloads do. */
  onDownload: (request: DownloadRequest) => Promise<DownloadedFile> = async () => {
    throw new MgrError("conflict", "the logger has no samples yet");
  };

  list(): DaemonLogger[] {
    return this.loggers;
  }

  async configure(name: string, configuration: LoggerConfiguration, by: string): Promise<void> {
    this.calls.push(["configure", name, configuration, by]);
  }

  async start(name: string, by: string): Promise<void> {
    this.#command("start", name, by);
  }

  async stop(name: string, by: string): Promise<void> {
    this.#command("stop", name, by);
  }

  async remove(name: string, by: string): Promise<void> {
    this.#command("remove", name, by);
  }

  async download(request: DownloadRequest): Promise<DownloadedFile> {
    return this.onDownload(request);
  }

  #command(command: string, name: string, by: string): void {
    if (!this.loggers.some((logger) => logger.name === name)) throw new MgrError("not_found", `there is no logger '${name}'`);
    this.calls.push([command, name, by]);
  }
}
