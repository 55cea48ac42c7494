import { replicasExtension } from "../../../src/features/replicas/manager/index.ts";
import type { Replicas } from "../../../src/features/replicas/manager/replicas.ts";
import type { ReplicaSet } from "../../../src/features/replicas/wire.ts";

/** No process has replicas; every number is accepted. */
export class FakeReplicas implements Replicas {
  readonly extension = replicasExtension(this);

  list(): ReplicaSet[] {
    return [];
  }

  async scale(): Promise<void> {}
}
