import { refusal } from "@sightline/foundation/errors";
import type { Sealer } from "@sightline/foundation/secrets/sealing";
import { v7 as newId } from "uuid";
import type { CreateCredentialRequest } from "#contract.ts";
import type { CredentialKind } from "#schema.ts";
import { getCredential, insertCredential, replaceSecret, type CredentialRow } from "./credentials.store.ts";
import type { CodeIndexDatabase } from "#store/tenancy/tenant.ts";
import { credentialContext, requireSealer } from "./sealer.ts";
import { createPrivateKey } from "node:crypto";

/** What is wrong with a secret, for whoever pasted it; the words never repeat it. */
function problemOfSecret(kind: CredentialKind, secret: string): string | undefined {
  switch (kind) {
    case "token":
      return /^[\x21-\x7e]+$/.test(secret) ? undefined : "A token has no spaces and no characters beyond ASCII.";
    case "github_app":
      return isRsaKey(secret)
        ? undefined
        : "An app's secret is its private key as GitHub gave it: a PEM file that begins with -----BEGIN RSA PRIVATE KEY-----.";
    case "deploy_key":
      return problemOfDeployKey(secret);
    default:
      return kind satisfies never;
  }
}

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === "rsa";
  } catch {
    return false;
  }
}

const KEY = /^-----BEGIN ([A-Z ]*)PRIVATE KEY-----\n([\s\S]+)\n-----END [A-Z ]*PRIVATE KEY-----$/;

function problemOfDeployKey(secret: string): string | undefined {
  const [, label, body = ""] = KEY.exec(secret) ?? [];
  if (label === undefined || secret.includes("\0")) {
    return "A deploy key's secret is its private part, which begins with -----BEGIN OPENSSH PRIVATE KEY----- or another of PEM's; the public part belongs to the host.";
  }
  if (label === "ENCRYPTED " || body.includes("ENCRYPTED") || (label === "OPENSSH " && isEncrypted(body))) {
    return "The deploy key has a passphrase, which nobody is there to type. Make one without: ssh-keygen -t ed25519 -N ''.";
  }
  return undefined;
}

/** `openssh-key-v1\0`, then a length and the cipher's name. */
function isEncrypted(body: string): boolean {
  const bytes = Buffer.from(body, "base64");
  return bytes.subarray(19, 23).toString("latin1") !== "none";
}

type Dependencies = { readonly database: CodeIndexDatabase; readonly sealer: Sealer | undefined };
type Adding = { readonly tenantId: string; readonly given: CreateCredentialRequest; readonly createdBy: string; readonly now: Date };

/** @throws {AppError} `invalid_secret` (400), `credential_exists` (409), `encryption_keys_missing` (503) */
export async function addCredential(
  { database, sealer }: Dependencies,
  { tenantId, given, createdBy, now }: Adding,
): Promise<CredentialRow> {
  const { kind, name, host, username = null, app_id: appId = null, installation_id: installationId = null } = given;
  const secret = requireSecret(kind, given.secret);
  if (username !== null && !/^[^:\p{Cc}]*$/u.test(username)) {
    throw refusal(400, "invalid_username", "A user name has no colon and no control characters.");
  }
  const row = { id: newId(), tenant_id: tenantId, host };
  return insertCredential(database, {
    ...row,
    name,
    kind,
    username,
    app_id: appId,
    installation_id: installationId,
    sealed_secret: requireSealer(sealer, NOT_STORED).seal(Buffer.from(secret), credentialContext(row)),
    created_by: createdBy,
    created_at: now,
  });
}

type Replacing = { readonly tenantId: string; readonly id: string; readonly secret: string };

/** @returns `undefined` when the tenant has no such credential. */
export async function replaceCredentialSecret(
  { database, sealer }: Dependencies,
  { tenantId, id, secret }: Replacing,
): Promise<CredentialRow | undefined> {
  const row = await getCredential(database, { tenantId, id });
  if (row === undefined) {
    return undefined;
  }
  const sealed = requireSealer(sealer, NOT_STORED).seal(Buffer.from(requireSecret(row.kind, secret)), credentialContext(row));
  return replaceSecret(database, { tenantId, id, sealed });
}

const NOT_STORED = "Credentials can't be stored: the operator has not set CODEINDEX_ENCRYPTION_KEYS, which they would be sealed with.";

function requireSecret(kind: CredentialKind, given: string): string {
  // As pasted: with line ends of another system, and empty lines around.
  const secret = given.replaceAll("\r\n", "\n").trim();
  const problem = problemOfSecret(kind, secret);
  if (problem !== undefined) {
    throw refusal(400, "invalid_secret", problem);
  }
  return secret;
}
