import { complain } from "../ui/toasts.ts";
import { pageMeta } from "./page-meta.ts";

/** Who is logged in, as the page says itself; "" if it does not. */
export const user = pageMeta("mgr-user");

/** Ends the session. The page that comes next asks for a login. */
export async function logOut(): Promise<void> {
  try {
    const response = await fetch("/mgr/logout", { method: "POST" });
    if (!response.ok) throw new Error((await response.text()) || `the manager answered ${response.status}`);
    location.reload();
  } catch (error) {
    complain(error);
  }
}
