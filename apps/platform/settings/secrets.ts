import { errorCode } from "@sightline/foundation/errors";
import { randomBytes } from "node:crypto";
import { chmod, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { makeFolder } from "@sightline/foundation/files/make-folder";
import { replaceFile } from "@sightline/foundation/files/replace-file";
import type { Environment } from "./environment.ts";

/** Makes each secret of the embedded mode. */
const GENERATORS: Readonly<Record<string, () => string>> = {
  SECRET_KEY: () => randomBytes(32).toString("base64url"),
  API_KEY: () => `studio_${randomBytes(32).toString("hex")}`,
  CODEINDEX_WEBHOOK_SECRET: () => randomBytes(32).toString("base64url"),
  CODEINDEX_ENCRYPTION_KEYS: () => `k1:${randomBytes(32).toString("base64url")}`,
  ENCRYPTION_KEYS: () => `k1:${randomBytes(32).toString("base64url")}`,
};

export const secretNames = Object.keys(GENERATORS);

export function makeSecrets(): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(GENERATORS).map(([name, make]) => [name, make()]));
}

/**
 * Reads the secrets of the embedded mode from `<home>/secrets.env`, and makes those that are missing there (mode 0600).
 * Secrets that the environment sets are neither made nor written.
 */
export async function provideSecrets(home: string, environment: Environment): Promise<Readonly<Record<string, string>>> {
  await makeFolder(home, { mode: 0o700 });
  const path = join(home, "secrets.env");
  const known = parseEnv(await readFile(path, "utf8").catch(emptyWhenMissing));
  const missing = secretNames.filter((name) => !known[name] && !environment[name]);
  if (missing.length > 0) {
    const made = makeSecrets();
    await replaceFile(path, render(Object.assign(known, Object.fromEntries(missing.map((name) => [name, made[name]])))));
  }
  await chmod(path, 0o600).catch(emptyWhenMissing);
  return Object.fromEntries(secretNames.flatMap((name) => (known[name] ? [[name, known[name]]] : [])));
}

function render(secrets: NodeJS.Dict<string>): string {
  const lines = Object.entries(secrets).map(([name, value]) => `${name}=${value ?? ""}`);
  return [
    "# Made by Sightline. Keep a copy: without ENCRYPTION_KEYS and CODEINDEX_ENCRYPTION_KEYS the stored secrets can't be read again.",
    ...lines,
    "",
  ].join("\n");
}

function emptyWhenMissing(error: unknown): string {
  if (errorCode(error) === "ENOENT") {
    return "";
  }
  throw error;
}
