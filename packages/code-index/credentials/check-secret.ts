import { createPrivateKey } from "node:crypto";
import type { CredentialKind } from "#schema.ts";

/** What is wrong with a secret, for whoever pasted it; the words never repeat it. */
export function problemOfSecret(kind: CredentialKind, secret: string): string | undefined {
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
