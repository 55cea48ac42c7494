import type { Owners } from "../../../src/base/access/access.ts";
import { MgrError } from "../../../src/base/errors.ts";
import type { DataObject, DataPlane, TopicRequest, TopicSample } from "../../../src/features/data-plane/manager/data-plane.ts";
import { dataPlaneExtension } from "../../../src/features/data-plane/manager/index.ts";
import type { Service } from "../../../src/features/data-plane/wire/service.ts";
import type { Topic } from "../../../src/features/data-plane/wire/topic.ts";
import type { ChangeFrame } from "../../../src/protocol/frames/frames.ts";
import type { Client } from "../../../src/protocol/resources/resources.ts";

/** Clients, topics and services as the test sets them; requests are recorded in `calls` and find nothing. */
export class FakeDataPlane implements DataPlane {
  readonly extension = dataPlaneExtension(this);
  readonly all = { clients: [] as Client[], topics: [] as Topic[], services: [] as Service[] };
  readonly calls: [string, ...unknown[]][] = [];
  /** The processes to which topics and services of this name belong. */
  readonly owners = new Map<string, readonly string[]>();
  /** Viewers of topics, by name. */
  readonly viewers = new Map<string, Set<(sample: TopicSample) => void>>();

  clients(): Client[] {
    return this.all.clients;
  }

  ownersOf(object: DataObject): Owners {
    const name = "topic" in object ? object.topic : "name" in object ? object.name : "";
    return this.owners.get(name) ?? null;
  }

  changeFor(): readonly ChangeFrame[] {
    return [];
  }

  topics(): Topic[] {
    return this.all.topics;
  }

  services(): Service[] {
    return this.all.services;
  }

  async topicsStat(seconds: number) {
    this.calls.push(["topicsStat", seconds]);
    return { sample_seconds: seconds, topics: [] };
  }

  topicDetail(name: string) {
    return this.#nothing("topicDetail", name);
  }

  traceTopic(request: unknown) {
    return this.#nothing("traceTopic", request);
  }

  publishTopic(...args: unknown[]) {
    return this.#nothing("publishTopic", ...args);
  }

  callService(...args: unknown[]) {
    return this.#nothing("callService", ...args);
  }

  async parameters(pattern: string) {
    this.calls.push(["parameters", pattern]);
    return { parameters: [], errors: [] };
  }

  setOverride(...args: unknown[]) {
    return this.#nothing("setOverride", ...args);
  }

  openScope(...args: unknown[]) {
    return this.#nothing("openScope", ...args);
  }

  followTopic(name: string, { maxRate, receive, fields }: TopicRequest): () => void {
    this.calls.push(["followTopic", name, maxRate, ...(fields ? [fields] : [])]);
    const viewers = this.viewers.get(name) ?? new Set();
    this.viewers.set(name, viewers.add(receive));
    return () => viewers.delete(receive);
  }

  #nothing(...call: [string, ...unknown[]]): Promise<never> {
    this.calls.push(call);
    return Promise.reject(new MgrError("not_found", "there is nothing of this name"));
  }
}
