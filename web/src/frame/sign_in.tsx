import { useState } from "preact/hooks";
import { Icon } from "../components/icon";
import { signInWithPassword, signInWithToken, wereRefused } from "../data/session";

export function SignIn() {
  const [username, setUsername] = useState("");
  const [secret, setSecret] = useState("");
  const submit = (event: Event) => {
    event.preventDefault();
    if (secret === "") return;
    if (username === "") signInWithToken(secret);
    else signInWithPassword(username, secret);
  };
  return (
    <form class="sign-in form" onSubmit={submit}>
      <h1>Sign in</h1>
      <p>
        This agent asks for the credentials set as <code>listen_auth</code> in its configuration.
        They are kept until this tab is closed.
      </p>
      {wereRefused() && (
        <p class="error-note" role="alert">
          <Icon name="error" />
          <span>The agent did not accept them.</span>
        </p>
      )}
      <label>
        User name <span class="faint">(leave empty to sign in by token)</span>
        <input
          autocomplete="username"
          value={username}
          onInput={(e) => setUsername(e.currentTarget.value)}
        />
      </label>
      <label>
        {username === "" ? "Token" : "Password"}
        <input
          type="password"
          autocomplete="current-password"
          required
          value={secret}
          onInput={(e) => setSecret(e.currentTarget.value)}
        />
      </label>
      <button type="submit" class="primary">
        Sign in
      </button>
    </form>
  );
}
