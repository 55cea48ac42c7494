// The login page: logs in by HTTP Basic, as scripts do. The answer sets the session cookie, and the page is loaded again with it.
const form = document.getElementById("login");
const problem = document.getElementById("problem");
document.getElementById("place").textContent = location.host;

/** Basic credentials in UTF-8. */
function basic(user, password) {
  const bytes = new TextEncoder().encode(`${user}:${password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

async function logIn(user, password) {
  const headers = { Authorization: basic(user, password) };
  // Without credentials the browser shows no dialog of its own for a refusal; but it keeps no cookie either.
  const trial = await fetch("/", { headers, credentials: "omit", cache: "no-store" });
  if (!trial.ok) return trial.status === 401 ? "Unknown user or wrong password." : await trial.text();
  const { ok } = await fetch("/", { headers, cache: "no-store" });
  return ok ? "" : "The login was refused. Try again.";
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("button");
  button.disabled = true;
  problem.textContent = "";
  try {
    problem.textContent = await logIn(form.elements.user.value, form.elements.password.value);
    if (problem.textContent === "") location.reload();
    else form.elements.password.select();
  } catch {
    problem.textContent = "The manager cannot be reached. Try again.";
  }
  button.disabled = false;
});

form.elements.user.focus();
