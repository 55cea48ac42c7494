import type { Config } from "../config/definition.ts";
import { type HttpServerOptions, type PreparedHttpServer, prepareHttpServer } from "../http/index.ts";
import { packageFile } from "../http/package-files.ts";
import type { LogBook } from "../log/log-book.ts";
import type { Transport } from "../transport/websocket.ts";
import type { Engine } from "./engine.ts";
import { tryLockFile } from "./local-daemon/file-lock.ts";

/** Where the page was built to. */
export const ASSETS = packageFile("dist/web");

interface ServeOptions extends Pick<HttpServerOptions, "authFile" | "localSocket" | "listen" | "bus"> {
  engine: Engine;
  transport: Transport;
  instance: Config["instance"];
  log: LogBook;
}

/** The one port of a manager, not open yet: page, routes, WebSockets. */
export function prepareHttp({ engine, transport, instance, log, ...rest }: ServeOptions): Promise<PreparedHttpServer> {
  const hosts = [...engine.registry.config.hosts];
  return prepareHttpServer({
    ...rest,
    control: engine.control,
    transport,
    assetsDir: ASSETS,
    certificate:
      instance.webui_https_cert_file === null ? null : { certFile: instance.webui_https_cert_file, keyFile: instance.webui_https_key_file },
    isHttpsOnly: instance.https_only,
    allowedHosts: [...instance.allowed_hosts, ...hosts.flatMap(([name, { aliases }]) => [name, ...aliases])],
    configFiles: () => [...engine.registry.config.files],
    lock: tryLockFile,
    log: (level, msg) => void log.append({ level, source: "http", msg }),
  });
}
