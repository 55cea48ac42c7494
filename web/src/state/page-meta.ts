/** Text that the manager wrote into the page that it served; "" where it wrote nothing. */
export function pageMeta(name: "mgr-asset-hash" | "mgr-user" | "mgr-request-token"): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";
}

/** An address whose GET has an effect, with the token that proves that this page asks (docs/security.md, "What is protected"). */
export function withRequestToken(address: string): string {
  const token = pageMeta("mgr-request-token");
  return token === "" ? address : `${address}${address.includes("?") ? "&" : "?"}request_token=${token}`;
}
