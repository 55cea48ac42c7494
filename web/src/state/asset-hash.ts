import { pageMeta } from "./page-meta.ts";

/**
 * Reloads a page that is older than the manager's assets, once for each hash, with its other parameters kept
 * (docs/design/wire-rules.md, "Versioning"). Returns whether it does.
 */
export function reloadIfStale(current: string): boolean {
  const own = pageMeta("mgr-asset-hash");
  const url = new URL(location.href);
  if (own === "" || !current || own === current || url.searchParams.get("v") === current) return false;
  url.searchParams.set("v", current);
  location.replace(url);
  return true;
}
