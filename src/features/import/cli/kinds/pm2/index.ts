import { basename, dirname, extname, resolve } from "node:path";
import { applyRules } from "../../model/conversion.ts";
import { ImportFailure, UnfitValue } from "../../model/failure.ts";
import { MAX_COPIES } from "../../model/result.ts";
import { asList, asMap, type Tree, yamlTree } from "../../model/tree.ts";
import { Paths, text, textNow } from "../../model/values.ts";
import type { Convert, ImportContext } from "../kind.ts";
import { APP_RULES, AppConversion, instancesOf, isMultiplied, otherKey, setCopyVariables } from "./keys.ts";
import { runJavascript } from "./run-javascript.ts";

/** pm2 sends SIGINT, and SIGKILL 1.6 s later. */
const STOP_SIGNAL = "SIGINT";
const STOP_TIMEOUT = "1600ms";
/** pm2's own defaults: number of restarts of runs that were shorter than a second. */
const MAX_RESTARTS = 16;
const MIN_UPTIME = "1s";

/** Imports an ecosystem file of pm2: JSON and YAML, and JavaScript if the user allows to run it. */
export const convertPm2: Convert = async (path, context) => {
  const name = context.files.nameOf(path);
  const tree = await read(path, name, context);
  const isProgram = tree.value instanceof Map && tree.value.has("script");
  const apps = Array.isArray(tree.value) ? tree : isProgram ? { ...tree, value: [tree] } : (asMap(tree).get("apps") ?? tree);
  for (const [key, { place }] of isProgram || Array.isArray(tree.value) ? [] : asMap(tree))
    if (key !== "apps")
      context.result.findings.dropped.push({
        key,
        place,
        process: null,
        why: "mgr does not deploy programs",
        instead: key === "deploy" ? "pm2 deploy, or rsync" : "",
      });
  const list = Array.isArray(apps.value) ? asList(apps) : [apps];
  if (!list.some((app) => asMap(app).size > 0)) throw new ImportFailure(`${name} has no apps`);
  const folder = dirname(resolve(path));
  for (const [index, app] of list.entries()) convertApp(app, `apps[${index}]`, new Paths(folder, context.target), context);
};

async function read(path: string, name: string, context: ImportContext): Promise<Tree> {
  if (!/^\.[cm]?js$/.test(extname(path))) return yamlTree(await context.files.read(path), name);
  if (!context.runJavascript)
    throw new ImportFailure(
      `${name} is a program, which would run as you: read it, then use mgr import --run-javascript, or write it as JSON`,
    );
  context.files.names.push(name);
  return runJavascript(path, name);
}

function convertApp(app: Tree, key: string, filePaths: Paths, context: ImportContext): void {
  try {
    convertSection(app, key, filePaths, context);
  } catch (error) {
    if (!(error instanceof UnfitValue)) throw error;
    const instead = "correct the file and import it again";
    context.result.findings.dropped.push({ key, place: app.place, process: null, why: error.message, instead });
  }
}

function convertSection(app: Tree, key: string, filePaths: Paths, { result }: ImportContext): void {
  const section = asMap(app);
  const [script, cwd, namespace, name] = ["script", "cwd", "namespace", "name"].map((each) => section.get(each));
  if (script === undefined || script.value === null) throw new UnfitValue("it has no 'script'");
  const count = instancesOf(section.get("instances"));
  if (count > MAX_COPIES) throw new UnfitValue(`more than ${MAX_COPIES} copies are not imported`);
  const own = name === undefined ? basename(text(script)).replace(/\.\w+$/, "") : text(name);
  const group = namespace === undefined || text(namespace) === "default" ? "" : `${text(namespace)}/`;
  // Paths of an app refer to its own folder.
  const paths = cwd === undefined ? filePaths : new Paths(resolve(filePaths.source, textNow(cwd)), filePaths.target);
  const draft = result.add(`${group}${own}`, own, key, app.place);
  draft.begin(paths);
  draft.set("restart.policy", "always");
  draft.set("restart.max_restarts", MAX_RESTARTS);
  draft.set("restart.reset_after", MIN_UPTIME);
  draft.set("stop.signal", STOP_SIGNAL);
  draft.set("stop.timeout", STOP_TIMEOUT);
  applyRules(app, APP_RULES, new AppConversion({ result, draft, section }, paths), { path: key, fallback: otherKey });
  if (cwd !== undefined) draft.set("cwd", filePaths.of(cwd));
  if (!isMultiplied(section)) return;
  const names = Array.from({ length: count }, (_, index) => String(index));
  for (const [index, copy] of result.multiply(draft, own, names).entries()) setCopyVariables(copy, index, section);
}
