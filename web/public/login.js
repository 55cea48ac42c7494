// The login page: logs in by HTTP Basic, as scripts do. The answer sets the session cookie, and the page is loaded again with it.
const form = document.getElementById("login");
const problem = document.getElementById("problem");
const LOGIN = "/mgr/login";
document.getElementById("place").textContent = location.host;

/** Basic credentials in UTF-8. */
function basic(user, password) {
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

async function logIn(user, password) {
  const init = { method: "POST", headers: { Authorization: basic(user, password) }, cache: "no-store" };
  // Without credentials the browser shows no dialog of its own for a refusal; but it keeps no cookie either.
  const trial = await fetch(LOGIN, { ...init, credentials: "omit" });
  if (!trial.ok) return trial.status === 401 ? "Unknown user or wrong password." : await trial.text();
  const { ok } = await fetch(LOGIN, init);
  return ok ? "" : "The login was refused. Try again.";
}

/** The form is shown at its own address, or in place of the page that was asked for. */
function showPage() {
  if (location.pathname === LOGIN) location.replace("/");
  else location.reload();
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("button");
  button.disabled = true;
  problem.textContent = "";
  try {
    problem.textContent = await logIn(form.elements.user.value, form.elements.password.value);
    if (problem.textContent === "") showPage();
    else form.elements.password.select();
  } catch {
    problem.textContent = "The manager cannot be reached. Try again.";
  }
  button.disabled = false;
});

// After another way to log in, the page is shown that was asked for.
for (const link of document.querySelectorAll("a.offer"))
  if (location.pathname !== LOGIN) link.search = new URLSearchParams({ to: location.pathname + location.search + location.hash });

form.elements.user.focus();
