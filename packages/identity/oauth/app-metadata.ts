const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);
const MAX_NAME_LENGTH = 80;
const UNNAMED = "An app without a name";

/** Whether a browser may be sent there with a code: to a site with TLS, or to an app on the person's own machine. */
export function isRedirectAllowed(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || url.hash !== "" || address.includes("#") || url.username !== "" || url.password !== "") {
    return false;
  }
  const isLoopback = LOOPBACK.has(url.hostname);
  return url.protocol === "https:" ? !isLoopback : url.protocol === "http:" && isLoopback;
}

/** A name as one short line: no control characters, and none that reverse or hide letters. */
export function plainName(name: unknown): string {
  const text = typeof name === "string" ? name : "";
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\s]+/gu, " ")
    .trim();
  if (line === "") {
    return UNNAMED;
  }
  return line.length <= MAX_NAME_LENGTH ? line : `${line.slice(0, MAX_NAME_LENGTH - 1).toWellFormed()}…`;
}

/** The host that a browser is sent to; one of a loopback address is the person's own machine. */
export function redirectHost(address: string): string {
  return URL.canParse(address) ? new URL(address).host : "";
}
