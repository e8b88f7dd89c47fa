/** The site that a passkey answers to: the console's own address. */
export type RelyingParty = { readonly id: string; readonly origin: string };

/** The name that authenticators show beside the account. */
export const RELYING_PARTY_NAME = "Sightline";

export function createRelyingParty(publicUrl: string): RelyingParty {
  const { hostname, origin } = new URL(publicUrl);
  return { id: hostname, origin };
}

/** The handle by which an authenticator knows an account: the bytes of its id, which say nothing about anybody. */
export function toUserHandle(userId: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(userId.replaceAll("-", ""), "hex"));
}
