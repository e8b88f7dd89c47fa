import { refusal } from "@sightline/foundation/errors";

const MAX_URL_LENGTH = 2_000;

/** `git@host:path`, ssh's short form. */
const SHORT_SSH = /^[A-Za-z0-9_][\w.-]*@[A-Za-z0-9][\w.-]*:(?!\/\/)[^-\s][^\s]*$/;

const HOST = /^(?:[A-Za-z0-9_][\w.-]*|\[[0-9A-Fa-f:.]+\])$/;

type Choice = {
  readonly fullName: string;
  readonly cloneUrl: string | undefined;
  readonly allowFileUrls: boolean;
};

/**
 * The address git fetches a repository from: the one given, or GitHub's for `owner/repo`.
 *
 * @throws {AppError} `invalid_clone_url` (400) unless it is https, ssh or, where allowed, file,
 * without a password in it.
 */
export function chooseCloneUrl({ fullName, cloneUrl, allowFileUrls }: Choice): string {
  return checkCloneUrl(cloneUrl ?? `https://github.com/${fullName}.git`, { allowFileUrls });
}

export type Location = {
  readonly protocol: "https" | "ssh" | "file";
  /** As git is given it. */
  readonly url: string;
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: string;
  /** The scheme, host and port of an https address: what a credential is bound to. */
  readonly origin: string;
};

const PORTS = { "https:": "443", "ssh:": "22", "file:": "" } as const;

/** @throws {AppError} as `chooseCloneUrl`. */
export function locate(cloneUrl: string, rules: Pick<Choice, "allowFileUrls">): Location {
  const url = checkCloneUrl(cloneUrl, rules);
  const short = SHORT_SSH.test(url);
  const parsed = new URL(short ? `ssh://${url.replace(":", "/")}` : url);
  const protocol = parsed.protocol === "https:" || parsed.protocol === "file:" ? parsed.protocol : "ssh:";
  return {
    protocol: protocol === "https:" ? "https" : protocol === "file:" ? "file" : "ssh",
    // As it was checked: another reader might find another host in it.
    url: protocol === "https:" ? parsed.href : url,
    host: parsed.hostname.replace(/^\[(.*)\]$/, "$1"),
    port: parsed.port === "" ? PORTS[protocol] : parsed.port,
    origin: parsed.origin,
  };
}

/** The address, when git may fetch from it. @throws {AppError} as `chooseCloneUrl`. */
export function checkCloneUrl(url: string, { allowFileUrls }: Pick<Choice, "allowFileUrls">): string {
  const problem = problemOfCloneUrl(url, allowFileUrls);
  if (problem !== undefined) {
    throw refusal(400, "invalid_clone_url", problem);
  }
  return url;
}

/** Takes user names and passwords out of any text that may hold an address. */
export function withoutCredentials(text: string): string {
  return text.replaceAll(/([a-z][a-z0-9+.-]*:\/\/)[^/\s@]*@/gi, "$1");
}

function problemOfCloneUrl(url: string, allowFileUrls: boolean): string | undefined {
  // oxlint-disable-next-line no-control-regex -- control characters are what is refused
  if (url.length > MAX_URL_LENGTH || /[\s\x00-\x1f\x7f\\]/.test(url)) {
    return `A clone URL has at most ${MAX_URL_LENGTH} characters, and no spaces, backslashes or control characters.`;
  }
  if (SHORT_SSH.test(url)) {
    return undefined;
  }
  if (!URL.canParse(url) || !/^[a-z]+:\/\//.test(url)) {
    return "A clone URL looks like https://host/owner/repo.git, ssh://git@host/owner/repo.git or git@host:owner/repo.git.";
  }
  const { protocol, username, password, hostname, pathname, search, hash } = new URL(url);
  if (password !== "" || (protocol !== "ssh:" && username !== "")) {
    return "A clone URL may not hold credentials, which everyone who sees the repository would read. Add them under Credentials.";
  }
  if (search !== "" || hash !== "") {
    return "A clone URL has no query and no fragment.";
  }
  if (hostname.startsWith("-") || username.startsWith("-")) {
    return "A host or user name can't begin with a dash.";
  }
  if (protocol === "file:") {
    return problemOfFile({ allowFileUrls, hostname });
  }
  if (protocol !== "https:" && protocol !== "ssh:") {
    return `git may not fetch over ${protocol.slice(0, -1)} here; use https or ssh.`;
  }
  if (!HOST.test(hostname)) {
    return "A clone URL names a host by its name or address.";
  }
  return pathname === "" || pathname === "/" ? "A clone URL names a repository." : undefined;
}

function problemOfFile({ allowFileUrls, hostname }: { readonly allowFileUrls: boolean; readonly hostname: string }): string | undefined {
  if (!allowFileUrls) {
    return "file:// addresses are refused; to allow them, start Sightline with CODEINDEX_ALLOW_FILE_URLS=true.";
  }
  return hostname === "" ? undefined : "A file:// address is file:///absolute/path.";
}
