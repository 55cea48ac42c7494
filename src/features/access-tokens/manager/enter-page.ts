import type { Route } from "../../../http/route.ts";
import { ENTER_PATH } from "../access-link.ts";

const SCRIPT_PATH = `${ENTER_PATH}.js`;

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="dark light" />
    <title>Log in with a link</title>
    <style>
      :root {
        color-scheme: light dark;
        --page: light-dark(#f3f5f8, #10161d);
        --panel: light-dark(#ffffff, #161e27);
        --line: light-dark(#d3dae2, #2a3644);
        --text: light-dark(#17212b, #dbe4ed);
        --accent: light-dark(#1262b0, #62aef2);
        --bad: light-dark(#b92924, #f5827d);
      }
      body { margin: 0; min-height: 100dvh; display: grid; place-items: center; padding: 16px; box-sizing: border-box; background: var(--page); color: var(--text); font: 15px / 1.45 system-ui, sans-serif; }
      form { width: min(340px, 100%); box-sizing: border-box; display: grid; gap: 14px; padding: 28px; background: var(--panel); border: 1px solid var(--line); border-radius: 10px; overflow-wrap: anywhere; }
      h1 { margin: 0; font-size: 19px; }
      p { margin: 0; }
      p:empty { display: none; }
      [role="alert"] { color: var(--bad); }
      button { font: inherit; font-weight: 600; min-height: 44px; padding: 6px 12px; border: 1px solid var(--accent); border-radius: 6px; background: var(--accent); color: var(--panel); cursor: pointer; }
      button:disabled { opacity: 0.6; cursor: default; }
      :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
    </style>
  </head>
  <body>
    <main>
      <form id="enter">
        <h1>Log in to <span id="place">mgr</span></h1>
        <p>This link logs this browser in without a password. It takes the place of a login that the browser has here.</p>
        <button type="submit" autofocus>Log in</button>
        <p id="problem" role="alert"></p>
        <noscript><p>This page needs JavaScript. Scripts can send the token as: Authorization: Bearer TOKEN</p></noscript>
      </form>
    </main>
    <script src="${SCRIPT_PATH}"></script>
  </body>
</html>
`;

/** Exchanges the token in the fragment for the session cookie, after a click: a link alone must not change who a browser is logged in as. */
const SCRIPT = `const form = document.getElementById("enter");
const problem = document.getElementById("problem");
const button = form.querySelector("button");
const token = location.hash.slice(1);
document.getElementById("place").textContent = location.host;
if (!/^mgr_[\\w-]{43}$/.test(token)) {
  problem.textContent = "The link is incomplete. Copy it again as a whole.";
  button.disabled = true;
}

async function logIn() {
  const response = await fetch("/mgr/login", { method: "POST", headers: { Authorization: "Bearer " + token }, cache: "no-store" });
  if (response.ok) return "";
  return (await response.text()).trim();
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  button.disabled = true;
  problem.textContent = "";
  try {
    problem.textContent = await logIn();
    // The token does not stay in the history of the tab.
    if (problem.textContent === "") location.replace("/");
  } catch {
    problem.textContent = "The manager cannot be reached. Try again.";
  }
  button.disabled = false;
});
`;

/** The page that an access link opens. It is the same for every token, and served without a login. */
export const ENTER_ROUTES: readonly Route[] = [
  { path: ENTER_PATH, method: "GET", isOpen: true, needs: null, handle: () => textOf(PAGE, "text/html") },
  { path: SCRIPT_PATH, method: "GET", isOpen: true, needs: null, handle: () => textOf(SCRIPT, "text/javascript") },
];

function textOf(text: string, type: string): ReturnType<Route["handle"]> {
  return new Response(text, { headers: { "Content-Type": `${type}; charset=utf-8`, "Cache-Control": "no-store" } });
}
