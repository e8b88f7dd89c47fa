/** What is remembered while the browser is at a company's provider. */

const TARGET = "sightline.sso.next";

/** Where to go once the person is back. */
export function rememberTarget(next: string | undefined): void {
  sessionStorage.setItem(TARGET, next ?? "/");
}

/** It counts once. */
export function takeTarget(): string {
  const next = sessionStorage.getItem(TARGET) ?? "/";
  sessionStorage.removeItem(TARGET);
  return next;
}

/** The domain of an address that is typed in full; undefined before. */
export function readDomain(email: string): string | undefined {
  return /^[^\s@]+@([^\s@]+\.[^\s@.]{2,})$/.exec(email.trim())?.[1]?.toLowerCase();
}
