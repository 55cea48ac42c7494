/**
 * Resources that come only from several machines in networks: test/e2e/network/network-statistics.test.ts has to see each of them, and
 * test/e2e/streams/contract.test.ts all others.
 */
export const NEEDS_NETWORKS: readonly string[] = ["TCP link", "problem child", "network", "network interface", "gateway"];
