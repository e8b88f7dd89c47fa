import { randomUUID } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder } from "@sightline/foundation/files/make-folder";
import type { Location } from "./clone-url.ts";
import { withPrivateFolder, writePrivateFile } from "./private-folder.ts";

export type DeployKey = {
  readonly kind: "deploy_key";
  /** OpenSSH's or PEM. */
  readonly privateKey: string;
  /** Lines of a known_hosts file; then no other key of the host is accepted. */
  readonly knownHosts?: string | undefined;
};

type Connecting = {
  readonly location: Location;
  /** The host's, checked; ssh looks no name up itself. */
  readonly address: string;
  readonly key: DeployKey | undefined;
  /** File with the keys that hosts were seen with. */
  readonly knownHosts: string | undefined;
};

type SshAccess = { readonly sshCommand: string; readonly secrets: readonly string[] };

/**
 * Lends the command that speaks ssh. It uses the key given and nothing of the user's that runs it, whose own keys would
 * open to every tenant what they open.
 */
export async function withSsh<Result>(
  { location, address, key, knownHosts }: Connecting,
  use: (access: SshAccess) => Promise<Result>,
): Promise<Result> {
  return withPrivateFolder(async (folder) => {
    const keyFile = join(folder, "key");
    const hosts = join(folder, "known_hosts");
    if (key !== undefined) {
      await writePrivateFile(keyFile, `${key.privateKey.trim()}\n`);
    }
    const known = key?.knownHosts ?? (await readIfThere(knownHosts));
    await writePrivateFile(hosts, known);
    const options = [
      "BatchMode=yes",
      "ConnectTimeout=20",
      "ServerAliveInterval=30",
      "IdentitiesOnly=yes",
      "IdentityAgent=none",
      `IdentityFile=${key === undefined ? "none" : `"${keyFile}"`}`,
      `UserKnownHostsFile="${hosts}"`,
      "GlobalKnownHostsFile=/dev/null",
      `StrictHostKeyChecking=${key?.knownHosts === undefined ? "accept-new" : "yes"}`,
      "HashKnownHosts=no",
      "UpdateHostKeys=no",
      "CheckHostIP=no",
      `HostName=${address}`,
      // The host's key is stored under its name, so that it is known at every address of the host.
      `HostKeyAlias=${location.port === "22" ? location.host : `[${location.host}]:${location.port}`}`,
      "PreferredAuthentications=publickey",
      "LogLevel=ERROR",
    ];
    const sshCommand = ["ssh", "-F", "none", ...options.flatMap((option) => ["-o", quoted(option)])].join(" ");
    try {
      return await use({ sshCommand, secrets: key === undefined ? [] : [key.privateKey] });
    } finally {
      const seen = await readIfThere(hosts);
      if (knownHosts !== undefined && key?.knownHosts === undefined && seen !== known) {
        await replaceFile(knownHosts, seen);
      }
    }
  });
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

async function readIfThere(path: string | undefined): Promise<string> {
  return path === undefined ? "" : readFile(path, "utf8").catch(() => "");
}

/** The key that a host is first seen with is its key from then on. */
async function replaceFile(path: string, content: string): Promise<void> {
  await makeFolder(dirname(path));
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, content, { mode: 0o600 });
  await rename(draft, path);
}
