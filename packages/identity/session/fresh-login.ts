/** How long a login, or a step-up, counts for what asks for a recent one. */
export const FRESH_LOGIN_MS = 600_000;

export function isFreshLogin({ authenticatedAt }: { readonly authenticatedAt: Date }, now: Date): boolean {
  return now.getTime() - authenticatedAt.getTime() <= FRESH_LOGIN_MS;
}
