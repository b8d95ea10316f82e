// Who the reader is: an Authorization header, kept until the tab is closed.
import { createStore, useStore } from "./store";

const KEY = "warpsight.authorization";

const signInNeeded = createStore(false);
let refused = false;

export function authorization(): string | null {
  return sessionStorage.getItem(KEY);
}

export function signInWithToken(token: string): void {
  keep(`Bearer ${token}`);
}

export function signInWithPassword(username: string, password: string): void {
  const bytes = new TextEncoder().encode(`${username}:${password}`);
  keep(`Basic ${btoa(String.fromCharCode(...bytes))}`);
}

// The agent said 401.
export function requireSignIn(): void {
  refused ||= authorization() !== null;
  signInNeeded.set(true);
}

// They cannot even be sent.
export function forgetCredentials(): void {
  requireSignIn();
  sessionStorage.removeItem(KEY);
}

// Whether the credentials last given were of no use.
export function wereRefused(): boolean {
  return refused;
}

export function useSignInNeeded(): boolean {
  return useStore(signInNeeded);
}

export function onSignedIn(listener: () => void): () => void {
  return signInNeeded.subscribe((needed) => {
    if (!needed) listener();
  });
}

function keep(header: string): void {
  refused = false;
  sessionStorage.setItem(KEY, header);
  signInNeeded.set(false);
}
