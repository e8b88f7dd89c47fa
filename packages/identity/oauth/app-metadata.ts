const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);
const MAX_NAME_LENGTH = 80;
const UNNAMED = "An app without a name";

/** The characters of RFC 3986, without a fragment: what else stands in an address, browsers, apps and logs read each in their own way. */
const WEB_ADDRESS = /^https?:\/\/[\w\-.~:/?[\]@!$&'()*+,;=%]+$/i;
/**
 * `com.example.app:/path`, since a scheme with a domain in it is its owner's (RFC 8252, 7.1), or the own address of an assistant that has
 * none such. Other names (`slack:`, `facetime:`) are of programs that act on them. Without a query: what opens is given nothing that the app chose.
 */
const APP_ADDRESS =
  /^(?:[a-z][a-z\d-]*(?:\.[a-z\d-]+)+:\/|cursor:\/\/anysphere\.cursor-(?:mcp|retrieval)\/|(?:cursor|vscode|vscode-insiders|windsurf):\/\/saoudrizwan\.claude-dev\/)[\w\-.~:/!$&'()*+,;=%]*$/;

/**
 * Whether a browser may be sent there with a code: to a site with TLS, to a program that listens on the person's own machine, or to an
 * app there that opens addresses of its own scheme.
 */
export function isRedirectAllowed(address: string): boolean {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || url.username !== "" || url.password !== "") {
    return false;
  }
  if (!WEB_ADDRESS.test(address)) {
    return APP_ADDRESS.test(address);
  }
  return LOOPBACK.has(url.hostname) === (url.protocol === "http:");
}

/** Whether it is a program on the person's own machine that waits there. */
export function isLoopback(address: string): boolean {
  return URL.canParse(address) && LOOPBACK.has(new URL(address).hostname);
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

/** The host that a browser is sent to, with the scheme where that is an app's own; one of a loopback address is the person's own machine. */
export function redirectHost(address: string): string {
  const { protocol, host } = URL.canParse(address) ? new URL(address) : { protocol: "https:", host: "" };
  if (protocol === "https:" || protocol === "http:") {
    return host;
  }
  return host === "" ? protocol : `${protocol}//${host}`;
}

/** Whether a page of that origin is the app's own. Addresses of an app's own scheme have the origin `null`, as any sandboxed page. */
export function isOriginOf(origin: string, redirectUris: readonly string[]): boolean {
  return origin !== "null" && redirectUris.some((address) => new URL(address).origin === origin);
}
