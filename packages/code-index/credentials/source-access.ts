import type { Clock } from "@sightline/foundation/clock";
import type { Logger } from "@sightline/foundation/log";
import { SealError, type Sealer } from "@sightline/foundation/secrets/sealing";
import type { CodeIndexConfig } from "#config.ts";
import type { CredentialKind } from "#schema.ts";
import type { AllowedHosts } from "@sightline/foundation/outbound/allowed-hosts";
import { locate, type Location } from "#git/clone-url.ts";
import { knownHostsFile } from "#git/mirror.ts";
import type { Remote, SourceCredential } from "#git/remote.ts";
import { SourceError } from "#git/source-error.ts";
import { chooseCredential, noteCredentialUse, type CredentialRow } from "./credentials.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { createInstallationTokens } from "./installation-tokens.ts";
import { createCodeIndexSealer, credentialContext } from "./sealer.ts";

export type SourceAccessOptions = {
  readonly config: Pick<CodeIndexConfig, "CODEINDEX_ENCRYPTION_KEYS" | "CODEINDEX_ALLOW_FILE_URLS" | "CODEINDEX_ALLOW_PRIVATE_HOSTS">;
  readonly database: CodeIndexDatabase;
  readonly log: Logger;
  readonly clock: Clock;
  /** `CODEINDEX_DATA_DIR`, where there is one: the keys of ssh hosts are remembered there. */
  readonly dataDir?: string;
};

export type Registered = { readonly tenantId: string; readonly repoId: string; readonly cloneUrl: string };

/** How sources are reached: by which credential, and what the operator allows. */
export type SourceAccess = {
  /**
   * Lends what `fetchMirror` and `listBranches` need to reach a repository, and notes at its credential what came of it.
   *
   * @example
   * const mirror = await sources.reach(job, signal, (remote) => fetchMirror({ ...remote, dataDir, repoId, ref, signal }));
   * @throws {SourceError} `access_refused` when its credential does not suit its address or can't be opened.
   */
  readonly reach: <Result>(repository: Registered, signal: AbortSignal, use: (remote: Remote) => Promise<Result>) => Promise<Result>;
  /** The same with a credential that is not, or not yet, the repository's. */
  readonly reachWith: <Result>(
    credential: CredentialRow,
    cloneUrl: string,
    signal: AbortSignal,
    use: (remote: Remote) => Promise<Result>,
  ) => Promise<Result>;
};

/** A use is noted at the most so often, unless something else came of it. */
const NOTE_MS = 60_000;

export function createSourceAccess({ config, database, log, clock, dataDir }: SourceAccessOptions): SourceAccess {
  const sealer = createCodeIndexSealer(config.CODEINDEX_ENCRYPTION_KEYS);
  const allowPrivateHosts: AllowedHosts = config.CODEINDEX_ALLOW_PRIVATE_HOSTS;
  const allowFileUrls = config.CODEINDEX_ALLOW_FILE_URLS;
  const tokens = createInstallationTokens({ clock, allowPrivateHosts });

  async function open(row: CredentialRow, signal: AbortSignal): Promise<SourceCredential> {
    const secret = openSecret(sealer, row);
    if (row.kind === "deploy_key") {
      return { kind: "deploy_key", privateKey: secret };
    }
    if (row.kind === "token") {
      return { kind: "token", token: secret, username: row.username ?? undefined };
    }
    const installation = { host: row.host, appId: row.app_id ?? "", installationId: row.installation_id ?? "", privateKey: secret };
    return { kind: "token", token: await tokens.tokenFor(row.sealed_secret, installation, signal) };
  }

  async function note({ tenant_id: tenantId, id }: CredentialRow, error: string | null): Promise<void> {
    const now = clock.now();
    const unlessSince = new Date(now.getTime() - NOTE_MS);
    await noteCredentialUse(database, { tenantId, id, now, error, unlessSince }).catch((cause: unknown) =>
      log.warn({ err: cause, credential: id }, "the use of a credential was not noted"),
    );
  }

  const reachWith: SourceAccess["reachWith"] = async (row, cloneUrl, signal, use) => {
    try {
      requireSuitable(row, locate(cloneUrl, { allowFileUrls }));
      const credential = await open(row, signal);
      const result = await use({ cloneUrl, credential, allowFileUrls, allowPrivateHosts }).catch((error: unknown) =>
        Promise.reject(namingCredential(error, row)),
      );
      await note(row, null);
      return result;
    } catch (error) {
      if (error instanceof SourceError && error.problem === "access_refused") {
        tokens.forget(row.sealed_secret);
        await note(row, error.message);
      }
      throw error;
    }
  };

  return {
    reachWith,
    reach: async ({ tenantId, repoId, cloneUrl }, signal, use) => {
      const location = locate(cloneUrl, { allowFileUrls });
      const kinds = kindsFor(location);
      const row = kinds.length === 0 ? undefined : await chooseCredential(database, { tenantId, repoId, host: hostOf(location), kinds });
      const pinned = dataDir === undefined ? {} : { knownHosts: knownHostsFile(dataDir, repoId) };
      return row === undefined
        ? use({ cloneUrl, allowFileUrls, allowPrivateHosts, ...pinned }).catch((error: unknown) =>
            Promise.reject(withAdvice(error, hostOf(location))),
          )
        : reachWith(row, cloneUrl, signal, (remote) => use({ ...remote, ...pinned }));
    },
  };
}

function kindsFor({ protocol }: Location): readonly CredentialKind[] {
  return { https: ["token", "github_app"] as const, ssh: ["deploy_key"] as const, file: [] }[protocol];
}

function withAdvice(error: unknown, host: string): unknown {
  return error instanceof SourceError && error.problem === "access_refused"
    ? unsuitable(`${error.message}\nNo credential is stored for ${host}; a private repository needs one.`, error)
    : error;
}

/** git says of a refused token that it could not ask for a user name. A key of the host that is not the known one is no fault of a credential. */
function namingCredential(error: unknown, { name, host }: CredentialRow): unknown {
  return error instanceof SourceError && error.problem === "access_refused" && !/host key|ssh host/i.test(error.message)
    ? unsuitable(
        `${error.message}\n${host} did not accept the credential ${name} for this repository: it may be over, replaced at the host, or may not read it.`,
        error,
      )
    : error;
}

const DEFAULT_PORTS = { https: "443", ssh: "22", file: "" } as const;

function hostOf({ protocol, host, port }: Location): string {
  return `${host}${port === DEFAULT_PORTS[protocol] ? "" : `:${port}`}`.toLowerCase();
}

/** A credential is shown to its own host alone, wherever an address leads. */
function requireSuitable({ name, host, kind }: CredentialRow, location: Location): void {
  if (hostOf(location) !== host) {
    throw unsuitable(`The credential ${name} is for ${host}, not for ${hostOf(location) || "an address of this machine"}.`);
  }
  if (!kindsFor(location).includes(kind)) {
    throw unsuitable(
      kind === "deploy_key"
        ? `The credential ${name} is a deploy key, which opens ssh addresses only.`
        : `The credential ${name} opens https addresses only.`,
    );
  }
}

function openSecret(sealer: Sealer | undefined, row: CredentialRow): string {
  if (sealer === undefined) {
    throw unsuitable(`The credential ${row.name} can't be opened: CODEINDEX_ENCRYPTION_KEYS is not set.`);
  }
  try {
    return sealer.open(row.sealed_secret, credentialContext(row)).toString("utf8");
  } catch (error) {
    if (error instanceof SealError) {
      throw unsuitable(`The credential ${row.name} can't be opened. ${error.message}`, error);
    }
    throw error;
  }
}

function unsuitable(message: string, cause?: unknown): SourceError {
  return new SourceError(message, { transient: false, problem: "access_refused", cause });
}
