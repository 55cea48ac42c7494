import { applyRules, Conversion, drop, type Rules } from "../../model/conversion.ts";
import { ImportFailure } from "../../model/failure.ts";
import { MAX_COPIES } from "../../model/result.ts";
import { asMap, type Tree } from "../../model/tree.ts";
import { integer, Paths, text } from "../../model/values.ts";
import type { Convert, ImportContext } from "../kind.ts";
import { SERVICE_RULES } from "./keys.ts";
import { readProject } from "./project.ts";
import { mountsOf, ServiceConversion } from "./service.ts";

/** Imports a file of Docker Compose: the services with a command, which then run on this machine itself. */
export const convertCompose: Convert = async (path, context) => {
  const { tree, services } = await readProject(path, context);
  applyRules(tree, FILE_RULES, new Conversion(context.result, context.result.defaults, asMap(tree)), { path: "" });
  if (services.size === 0) throw new ImportFailure(`${context.files.nameOf(path)} has no services`);
  const names = new Set(services.keys());
  for (const [name, { tree: service, folder }] of services)
    convertService({ name, service, names }, new Paths(folder, context.target), context);
};

const OF_CONTAINERS = "it is about containers; the processes run on this machine itself";
const FILE_RULES: Rules<Conversion> = {
  services: () => {},
  version: () => {},
  name: (entry, context) => {
    context.result.instanceName = text(entry.tree);
    context.carried(entry, "instance.name");
  },
  volumes: drop("volumes are about containers; the processes use folders of this machine"),
  networks: drop("networks are about containers; the processes use the network of this machine"),
  secrets: drop("there is no /run/secrets", "name the file itself in the environment, or use env_file"),
  configs: drop("files are not mounted", "name the file itself in the command"),
  include: () => {},
  models: drop(OF_CONTAINERS),
};

interface Source {
  readonly name: string;
  readonly service: Tree;
  /** Names of all services. */
  readonly names: ReadonlySet<string>;
}

function convertService({ name, service, names }: Source, paths: Paths, { result, variables }: ImportContext): void {
  const keys = asMap(service);
  const key = `services.${name}`;
  const image = keys.get("image");
  if (!keys.has("command") && !keys.has("entrypoint")) {
    const what = image === undefined ? "a built image" : `the image '${text(image)}'`;
    const instead = "install the program on this machine and add it, or keep it in a container: command: docker run --rm IMAGE";
    result.findings.dropped.push({
      key,
      place: service.place,
      process: null,
      why: `it has no command: it runs what ${what} starts`,
      instead,
    });
    return;
  }
  const copies = copiesOf(keys);
  const draft = result.add(name, name, key, service.place);
  draft.begin(paths);
  const conversion = new ServiceConversion(
    { result, draft, section: keys },
    { paths, mounts: mountsOf(keys, paths), services: names, variables },
  );
  applyRules(service, SERVICE_RULES, conversion, { path: key, fallback: conversion.unknownKey });
  if (copies !== null && copies > MAX_COPIES) {
    const why = `more than ${MAX_COPIES} copies are not imported`;
    result.findings.dropped.push({ key: `${key}.replicas`, place: service.place, process: name, why, instead: "copy the process by hand" });
  } else if (copies !== null && copies !== 1) {
    result.multiply(
      draft,
      name,
      Array.from({ length: copies }, (_, index) => String(index + 1)),
    );
  }
}

function copiesOf(keys: ReadonlyMap<string, Tree>): number | null {
  const tree = keys.get("scale") ?? asMap(keys.get("deploy") ?? { place: { file: "", line: 0 }, value: null }).get("replicas");
  return tree === undefined ? null : Math.max(0, integer(tree));
}
