/**
 * The password that the login has just taken, so that a one-time password is not asked for again where it is replaced. In this
 * page's memory alone, and forgotten as soon as it turns out to be no such password.
 */
let typed: string | undefined;

export function rememberPassword(password: string | undefined): void {
  typed = password;
}

export function rememberedPassword(): string | undefined {
  return typed;
}
