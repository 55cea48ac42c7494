import { complain } from "../ui/toasts.ts";
import { pageMeta } from "./page-meta.ts";

/** The name of the user who is logged in, from the page; "" if it has none. */
export const user = pageMeta("mgr-user");

/** Ends the session, and shows the login form. */
export async function logOut(): Promise<void> {
  try {
    const response = await fetch("/mgr/logout", { method: "POST" });
    if (!response.ok) throw new Error((await response.text()) || `the manager answered ${response.status}`);
    location.assign("/mgr/login");
  } catch (error) {
    complain(error);
  }
}
