/** The token of a mailed link, `…/login/reset#token=…`; undefined when there is none. */
export function mailedToken(hash: string): string | undefined {
  const token = new URLSearchParams(hash.replace(/^#/, "")).get("token");
  return token === null || token === "" ? undefined : token;
}
