// Asks pm2 through its own module. Arguments: the folder in which npm installed pm2, and the PM2_HOME of the daemon that it starts.
import { createRequire } from "node:module";
import { join } from "node:path";
import { promisify } from "node:util";

interface Pm2 {
  connect(done: (error: Error | null) => void): void;
  start(config: string, done: (error: Error | null) => void): void;
  stop(name: string, done: (error: Error | null) => void): void;
  restart(name: string, done: (error: Error | null) => void): void;
  list(done: (error: Error | null, list: unknown[]) => void): void;
  killDaemon(done: (error: Error | null) => void): void;
}

type Question = { start: string } | { stop: string } | { restart: string } | { list: true } | { kill: true };

const [folder = "", home = ""] = process.argv.slice(2);
process.env.PM2_HOME = home;
const pm2 = createRequire(join(folder, "package.json"))("pm2") as Pm2;
process.on("message", async (question: Question) => process.send?.(await answer(question)));
process.send?.({});

async function answer(question: Question): Promise<{ count: number }> {
  if ("start" in question) {
    await promisify(pm2.connect.bind(pm2))();
    await promisify(pm2.start.bind(pm2))(question.start);
  } else if ("stop" in question) await promisify(pm2.stop.bind(pm2))(question.stop);
  else if ("restart" in question) await promisify(pm2.restart.bind(pm2))(question.restart);
  else if ("list" in question) return { count: (await promisify(pm2.list.bind(pm2))()).length };
  else await promisify(pm2.killDaemon.bind(pm2))();
  return { count: 0 };
}
