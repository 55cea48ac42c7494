import type { DisplayScreen } from "./display-screen.ts";

/** A form for the password that a configured session's VNC server requires. The page sends it to that server only, and does not store it. */
export function PasswordForm({ screen, hasName }: { screen: DisplayScreen; hasName: boolean }) {
  return (
    <form
      class="display-notice"
      onSubmit={(event) => {
        event.preventDefault();
        const fields = new FormData(event.currentTarget);
        const username = fields.get("username");
        screen.logIn({ password: String(fields.get("password") ?? ""), ...(typeof username === "string" ? { username } : {}) });
      }}
    >
      <p>This VNC server asks for a password.</p>
      {hasName && (
        <label>
          User <input name="username" autocomplete="off" required />
        </label>
      )}
      <label>
        Password <input name="password" type="password" autocomplete="off" required autofocus />
      </label>
      <button type="submit">Connect</button>
    </form>
  );
}
