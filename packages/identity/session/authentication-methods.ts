/** Methods of a login in `amr`, where RFC 8176 has no name for them. */

/** By the company's provider; `mfa` beside it where that asked for a second factor. */
export const SSO = "sso";

/** How a login was proved once its second step was, too. */
export function withSecondStep(first: readonly string[], second: readonly string[]): readonly string[] {
  return [...new Set([...first.filter((method) => method !== "mfa"), ...second])];
}
