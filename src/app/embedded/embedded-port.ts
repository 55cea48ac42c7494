import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MgrError } from "../../base/errors.ts";
import type { PeerTrafficBook } from "../../bus/carriers/peer-traffic.ts";
import { authFilePath } from "../../config/default-paths.ts";
import type { Config } from "../../config/definition.ts";
import { listenAddress } from "../../config/schema/schema-addresses.ts";
import { isAlive, startTimeOf } from "../../daemon/proc/proc.ts";
import type { HttpServer, HttpServerOptions } from "../../http/index.ts";
import type { BusUpgrade } from "../../http/server/bus-upgrade.ts";
import type { LogBook } from "../../log/log-book.ts";
import type { Transport } from "../../transport/websocket.ts";
import type { Engine } from "../engine.ts";
import { prepareHttp } from "../serve-http.ts";
import type { OpenPort } from "./embedded-manager.ts";

interface EmbeddedPortOptions {
  engine: Engine;
  log: LogBook;
  transport: Transport;
  assets: HttpServerOptions["assets"];
  config: Config;
  /** The bus behind `/mgr/bus`. */
  busUpgrade: BusUpgrade | null;
  /** Counts the bytes of connections. */
  book: PeerTrafficBook | null;
  /** True: the address from the configuration. */
  listen: true | string;
}

/** Folders of logins: `mgr-embedded-<pid>-<start time>-<random>`. */
const LOGIN_FOLDER = /^mgr-embedded-(\d+)-(\d+)-/;

/** Opens the port. Without a configured auth file it creates a login, which is removed with the port. */
export async function openEmbeddedPort({
  engine,
  log,
  transport,
  assets,
  config,
  listen,
  busUpgrade,
  book,
}: EmbeddedPortOptions): Promise<OpenPort & Pick<HttpServer, "admitUser" | "close">> {
  const { instance } = config;
  const authFile = authFilePath(instance);
  const made = authFile === null ? await makeLogin() : null;
  try {
    const prepared = prepareHttp({
      engine,
      transport,
      assets,
      instance,
      log,
      authFile: made?.file ?? authFile,
      localSocket: null,
      bus: busUpgrade,
      book,
      listen: listen === true ? instance.manager : addressOf(listen),
    });
    const http = await prepared.open();
    const close = async () => {
      await http.close();
      await made?.remove();
    };
    return { url: http.url, login: made?.login ?? null, admitUser: (...who) => http.admitUser(...who), close };
  } catch (error) {
    await made?.remove();
    throw error;
  }
}

function addressOf(text: string): { host: string; port: number } {
  const parsed = listenAddress.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new MgrError("bad_field", `'listen' ${parsed.error.issues[0]?.message ?? "is not an address"}`);
}

async function makeLogin() {
  await removeAbandoned();
  const folder = await mkdtemp(join(tmpdir(), `mgr-embedded-${process.pid}-${startTimeOf(process.pid)}-`));
  const login = { user: "embedded", password: randomBytes(24).toString("base64url") };
  const file = join(folder, "webui.keys");
  await writeFile(file, `${login.user} ${login.password}\n`, { mode: 0o600 });
  return { login, file, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** Removes the folders of programs that were killed and could not remove them. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [, pid, startTime] = LOGIN_FOLDER.exec(name) ?? [];
    // The folder of another user stays: removing it is not permitted.
    if (pid !== undefined && startTime !== undefined && !isAlive(Number(pid), startTime))
      await rm(join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined);
  }
}
