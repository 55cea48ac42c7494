import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { ImportFailure } from "../../model/failure.ts";
import type { Entry } from "../../model/findings.ts";
import { asList, asMap, type Tree, yamlTree } from "../../model/tree.ts";
import { text, textNow, texts } from "../../model/values.ts";
import { envFileValues } from "../../sources.ts";
import { dotenvBeside, type ImportContext, interpolated } from "../kind.ts";
import { mergedService, rebased } from "./merge.ts";

/** Maximum number of services that extend one another, and of files that include one another. */
const MAX_DEPTH = 32;

/** A service with the folder to which its relative paths refer. */
export interface ProjectService {
  readonly tree: Tree;
  readonly folder: string;
}

export interface Project {
  /** The file itself, without its `include`. */
  readonly tree: Tree;
  readonly services: ReadonlyMap<string, ProjectService>;
}

type Variables = Readonly<Record<string, string>>;

/** Reads a file of Docker Compose with the files that it includes and extends. Throws ImportFailure. */
export async function readProject(path: string, context: ImportContext): Promise<Project> {
  const file = resolve(path);
  const reader = new ProjectReader(context, dirname(file));
  const override = overrideOf(file);
  return reader.project([file, ...(override === null ? [] : [override])], {
    folder: dirname(file),
    variables: (await dotenvBeside(path, context)) ?? {},
    above: [],
  });
}

/** The file that Docker Compose merges without being told; null: there is none. */
function overrideOf(file: string): string | null {
  const [, stem, ending] = /^((?:docker-)?compose)\.(ya?ml)$/.exec(basename(file)) ?? [];
  if (stem === undefined) return null;
  const found = [ending, "yaml", "yml"].map((each) => join(dirname(file), `${stem}.override.${each}`)).find((each) => existsSync(each));
  return found ?? null;
}

interface ProjectOptions {
  /** Folder to which relative paths of the files refer. */
  readonly folder: string;
  /** Values of variables that are not in the environment. */
  readonly variables: Variables;
  /** The files that lead to these ones, by including them. */
  readonly above: readonly string[];
}

class ProjectReader {
  readonly #context: ImportContext;
  /** The folder of the imported file, which the import does not leave unless it may. */
  readonly #root: string;
  readonly #read = new Map<string, Promise<Tree>>();

  constructor(context: ImportContext, root: string) {
    this.#context = context;
    this.#root = root;
  }

  /** The services of files that are merged, each over those before it, and of the files that they include. */
  async project(files: readonly string[], { folder, variables, above }: ProjectOptions): Promise<Project> {
    const trees: Tree[] = [];
    const services = new Map<string, ProjectService>();
    for (const file of files) {
      const tree = await this.#tree(file, variables);
      trees.push(tree);
      for (const [name, service] of servicesOf(tree)) {
        const before = services.get(name);
        const own = await this.#extended({ name, file, service }, { folder, variables }, []);
        services.set(name, { folder, tree: before === undefined ? own : mergedService(before.tree, own) });
      }
    }
    const chain = [...above, ...files];
    for (const tree of trees) await this.#include(asMap(tree).get("include"), { services, variables, folder, chain });
    const [first, ...others] = trees;
    const whole = others.reduce(
      (below, tree) => ({ ...tree, value: new Map([...asMap(below), ...asMap(tree)]) }),
      first ?? { place: { file: "", line: 0 }, value: null },
    );
    return { tree: whole, services };
  }

  async #include(
    list: Tree | undefined,
    {
      services,
      variables,
      folder,
      chain,
    }: { services: Map<string, ProjectService>; variables: Variables; folder: string; chain: readonly string[] },
  ): Promise<void> {
    for (const item of list === undefined ? [] : Array.isArray(list.value) ? asList(list) : [list]) {
      const long = asMap(item);
      const paths = long.get("path") ?? item;
      const files = (Array.isArray(paths.value) ? asList(paths) : [paths]).map((path) => resolve(folder, textNow(path)));
      const entry = { key: "include", place: item.place };
      if (!files.every((each) => this.#isReadable(each, entry))) continue;
      for (const file of files) this.#checkChain(chain, file, item, "includes");
      const directory = long.get("project_directory");
      const inner = directory === undefined ? dirname(files[0] ?? "") : resolve(folder, textNow(directory));
      const own = await this.#variablesOf(long.get("env_file"), inner, folder, entry);
      // Values of the including project come before those of the included one.
      const project = await this.project(files, { folder: inner, variables: { ...own, ...variables }, above: chain });
      for (const [name, service] of project.services) {
        if (!services.has(name)) services.set(name, service);
        else
          this.#drop(
            { key: `services.${name}`, place: service.tree.place },
            `'${name}' is a service of the including file, too, which counts`,
            "give one of them another name",
          );
      }
      this.#context.result.findings.carried.push({ ...entry, process: null, to: "the processes of the included file" });
    }
  }

  async #variablesOf(list: Tree | undefined, inner: string, folder: string, entry: Entry): Promise<Variables> {
    const files =
      list === undefined ? [join(inner, ".env")].filter((file) => existsSync(file)) : texts(list).map((file) => resolve(folder, file));
    const values: Record<string, string> = {};
    for (const file of files) {
      if (!this.#isReadable(file, entry)) continue;
      const { files: sources } = this.#context;
      Object.assign(values, envFileValues(await sources.read(file), sources.nameOf(file)).values);
    }
    return values;
  }

  /** A service merged over the one that it extends; relative paths refer to `from.folder`. */
  async #extended(
    { name, file, service }: { name: string; file: string; service: Tree },
    from: { folder: string; variables: Variables },
    chain: readonly string[],
  ): Promise<Tree> {
    const extending = asMap(service).get("extends");
    if (extending === undefined) return service;
    const keys = new Map(asMap(service));
    keys.delete("extends");
    const own = { ...service, value: keys };
    const entry = { key: `services.${name}.extends`, place: extending.place };
    const long = asMap(extending);
    const target = long.get("service") ?? extending;
    const other = long.get("file");
    const otherFile = other === undefined ? file : resolve(from.folder, textNow(other));
    if (typeof target.value !== "string") {
      this.#drop(entry, "it does not name a service", "");
      return own;
    }
    const base = text(target);
    if (!this.#isReadable(otherFile, entry)) return own;
    const link = `${this.#context.files.nameOf(file)} ${name}`;
    this.#checkChain([...chain, link], `${this.#context.files.nameOf(otherFile)} ${base}`, extending, "extends");
    const below = servicesOf(await this.#tree(otherFile, from.variables)).get(base);
    if (below === undefined) {
      this.#drop(entry, `${this.#context.files.nameOf(otherFile)} has no service '${base}'`, "correct the name");
      return own;
    }
    const folder = other === undefined ? from.folder : dirname(otherFile);
    const whole = await this.#extended({ name: base, file: otherFile, service: below }, { ...from, folder }, [...chain, link]);
    this.#context.result.findings.carried.push({ ...entry, process: null, to: "the keys of both services" });
    return mergedService(rebased(whole, folder, from.folder), own);
  }

  #checkChain(chain: readonly string[], next: string, { place }: Tree, verb: string): void {
    const named = [...chain, next].map((each) => (each.startsWith("/") ? this.#context.files.nameOf(each) : each));
    if (chain.includes(next))
      throw new ImportFailure(`${place.file}:${place.line}: ${named.slice(chain.indexOf(next)).join(` ${verb} `)}: that has no end`);
    if (chain.length >= MAX_DEPTH) throw new ImportFailure(`${place.file}:${place.line}: more than ${MAX_DEPTH} ${verb} one another`);
  }

  /** Whether the import may read a file; else that is reported. */
  #isReadable(file: string, entry: Entry): boolean {
    if (!existsSync(file)) return this.#drop(entry, `${this.#context.files.nameOf(file)} does not exist`, "correct the path");
    const isInside = !relative(realpathSync(this.#root), realpathSync(file)).startsWith("..");
    if (isInside || this.#context.outside) return true;
    const root = this.#context.files.nameOf(this.#root);
    return this.#drop(
      entry,
      `${this.#context.files.nameOf(file)} is outside of the folder '${root}'`,
      "read it, and add --outside to use it, too",
    );
  }

  #drop(entry: Entry, why: string, instead: string): false {
    this.#context.result.findings.dropped.push({ ...entry, process: null, why, instead });
    return false;
  }

  /** A file with its variables as marks. Files are read once for each set of variables. */
  #tree(file: string, variables: Variables): Promise<Tree> {
    const key = JSON.stringify([file, variables]);
    const known = this.#read.get(key);
    if (known !== undefined) return known;
    const { files, environment } = this.#context;
    const tree = files
      .read(file)
      .then((content) => interpolated(yamlTree(content, files.nameOf(file)), { environment, file: variables }, this.#context));
    this.#read.set(key, tree);
    return tree;
  }
}

function servicesOf(tree: Tree): ReadonlyMap<string, Tree> {
  return asMap(asMap(tree).get("services") ?? { place: tree.place, value: null });
}
