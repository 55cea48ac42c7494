/** Text that the manager wrote into the page that it served; "" if there is none. */
export function pageMeta(name: "mgr-asset-hash" | "mgr-user" | "mgr-request-token"): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";
}

/** Adds the token to an address whose GET has an effect: it proves that this page sent it (docs/security.md, "What is protected"). */
export function withRequestToken(address: string): string {
  const token = pageMeta("mgr-request-token");
  return token === "" ? address : `${address}${address.includes("?") ? "&" : "?"}request_token=${token}`;
}
