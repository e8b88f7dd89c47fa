/** An address for people's eyes: `…@` stands in the place of a user and password. */
export function withoutUserInfo(url: string): string {
  if (!URL.canParse(url)) {
    return "";
  }
  const { protocol, host, pathname, username, password } = new URL(url);
  return `${protocol}//${username === "" && password === "" ? "" : "…@"}${host}${pathname}`;
}
