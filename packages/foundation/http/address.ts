/**
 * Formats an address for display: `…@` replaces user and password.
 */
export function withoutUserInfo(url: string): string {
  if (!URL.canParse(url)) {
    return "";
  }
  const { protocol, host, pathname, username, password } = new URL(url);
  return `${protocol}//${username === "" && password === "" ? "" : "…@"}${host}${pathname}`;
}
