import type { AllowedHosts } from "@sightline/foundation/outbound/allowed-hosts";
import { findAddresses } from "./addresses.ts";
import { locate, type Location } from "./clone-url.ts";
import { runGit, goesThroughProxy, type GitSetting } from "./git.ts";
import { SourceError } from "./source-error.ts";
import { withSsh, type DeployKey } from "./ssh.ts";

export type SourceCredential = Token | DeployKey;

type Token = { readonly kind: "token"; readonly username?: string | undefined; readonly token: string };

export type Remote = {
  readonly cloneUrl: string;
  readonly credential?: SourceCredential | undefined;
  readonly allowFileUrls?: boolean;
  /** `CODEINDEX_ALLOW_PRIVATE_HOSTS`. */
  readonly allowPrivateHosts?: AllowedHosts;
  /** File that remembers the keys of ssh hosts; without it any key of a host is accepted each time. */
  readonly knownHosts?: string;
};

/** A remote that git may talk to. */
export type ReachedRemote = {
  /** Runs a command of git's that talks to it: its words, the remote's address, the words `after` it. */
  readonly git: (
    given: readonly string[],
    after: readonly string[],
    options?: { readonly directory?: string; readonly signal?: AbortSignal },
  ) => Promise<Buffer>;
};

/**
 * Checks a remote's address and lends what git needs to talk to it. The credential is in the environment of git's
 * process, or for ssh in a file that only our own user can read and that is removed afterwards.
 *
 * @throws {AppError} `invalid_clone_url` (400)
 * @throws {SourceError} `address_refused`
 */
export async function withRemote<Result>(
  remote: Remote,
  signal: AbortSignal,
  use: (remote: ReachedRemote) => Promise<Result>,
): Promise<Result> {
  const { credential, allowFileUrls = false } = remote;
  // The row may be older than the rule that allows its address.
  const location = locate(remote.cloneUrl, { allowFileUrls });
  const { url, protocol } = location;
  const lend = (access: Access) =>
    use({
      git: ([command = "", ...flags], after, { directory, signal: own = signal } = {}) =>
        runGit({
          ...access,
          arguments: [command, ...flags, ...remoteProgram(protocol), "--end-of-options", url, ...after],
          ...(directory === undefined ? {} : { directory }),
          allowFileUrls,
          signal: own,
        }),
    });
  if (protocol === "file") {
    return lend({});
  }
  const addresses = await addressesOf(location, remote, signal);
  if (protocol === "https") {
    const token = credential === undefined || credential.kind === "token" ? credential : refuse("A deploy key opens ssh addresses only.");
    return lend(httpsAccess(location, addresses, token));
  }
  const key = credential === undefined || credential.kind === "deploy_key" ? credential : refuse("A token opens https addresses only.");
  const [address = location.host] = addresses;
  return withSsh({ location, address, key, knownHosts: remote.knownHosts }, lend);
}

type Access = { readonly settings?: readonly GitSetting[]; readonly sshCommand?: string; readonly secrets?: readonly string[] };

async function addressesOf(
  { host, protocol }: Location,
  { allowPrivateHosts: allowed = [] }: Remote,
  signal: AbortSignal,
): Promise<readonly string[]> {
  try {
    return await findAddresses({ host, allowed, signal });
  } catch (error) {
    // Names that only the operator's proxy knows are its affair.
    if (protocol === "https" && goesThroughProxy() && error instanceof SourceError && error.problem !== "address_refused") {
      return [];
    }
    throw error;
  }
}

function httpsAccess({ origin, host, port }: Location, addresses: readonly string[], token: Token | undefined): Access {
  const pinned: readonly GitSetting[] =
    addresses.length === 0 || addresses.includes(host)
      ? []
      : [["http.curloptResolve", `${host}:${port}:${addresses.map(bracketed).join(",")}`]];
  if (token === undefined) {
    return { settings: pinned };
  }
  const basic = Buffer.from(`${token.username ?? "x-access-token"}:${token.token}`).toString("base64");
  return { settings: [...pinned, [`http.${origin}/.extraHeader`, `Authorization: Basic ${basic}`]], secrets: [token.token, basic] };
}

function bracketed(address: string): string {
  return address.includes(":") ? `[${address}]` : address;
}

function refuse(message: string): never {
  throw new SourceError(message, { transient: false, problem: "access_refused" });
}

/** The git that serves a local repository takes no settings of ours, and refuses one that belongs to somebody else. */
function remoteProgram(protocol: Location["protocol"]): readonly string[] {
  return protocol === "file" ? ["--upload-pack=git -c safe.directory=* -c uploadpack.allowFilter=true upload-pack"] : [];
}
