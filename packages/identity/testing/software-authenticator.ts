import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from "node:crypto";
import type { PasskeyCreation, PasskeyRequest } from "#contract.ts";

/** The origin of the console, and so the party that passkeys answer to, where a test sets none. */
const ORIGIN = "http://localhost:3000";

/** Faults that a test may have the authenticator make. */
export type Fault = {
  readonly origin?: string;
  readonly rpId?: string;
  readonly userVerified?: boolean;
  readonly counter?: number;
  readonly challenge?: string;
  readonly type?: string;
  readonly crossOrigin?: boolean;
  readonly userHandle?: string | undefined;
  readonly signedBy?: KeyObject;
};

export type SoftwarePasskey = {
  readonly id: string;
  readonly userHandle: string;
  readonly privateKey: KeyObject;
  /** How often the authenticator has signed; undefined where it does not count. */
  counter: number | undefined;
  readonly synced: boolean;
};

const PRESENT = 0x01;
const VERIFIED = 0x04;
const BACKUP = 0x08 | 0x10;
const ATTESTED = 0x40;

/** Makes a passkey as an authenticator and a browser do (ES256, attestation "none"), with the answer that registers it. */
export function makePasskey(
  { challenge, rp, user }: PasskeyCreation,
  { synced = false, counts = true, ...fault }: Fault & { readonly synced?: boolean; readonly counts?: boolean } = {},
) {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { x = "", y = "" } = publicKey.export({ format: "jwk" });
  const id = randomBytes(32);
  const passkey: SoftwarePasskey = { id: base64url(id), userHandle: user.id, privateKey, counter: counts ? 0 : undefined, synced };
  const attested = Buffer.concat([
    Buffer.alloc(16),
    uint16(id.length),
    id,
    coseKey(Buffer.from(x, "base64url"), Buffer.from(y, "base64url")),
  ]);
  const authData = Buffer.concat([authenticatorData(passkey, rp.id, fault, ATTESTED), attested]);
  const response = {
    id: passkey.id,
    rawId: passkey.id,
    type: "public-key",
    clientExtensionResults: {},
    response: {
      clientDataJSON: base64url(clientData({ type: "webauthn.create", challenge, ...fault })),
      attestationObject: base64url(attestationObject(authData)),
      transports: ["internal"],
    },
  };
  return { passkey, response };
}

/** Makes the passkey's answer to a request of the server. */
export function answerOf(passkey: SoftwarePasskey, { challenge, rpId }: PasskeyRequest, fault: Fault = {}) {
  if (passkey.counter !== undefined) {
    passkey.counter = fault.counter ?? passkey.counter + 1;
  }
  const data = clientData({ type: "webauthn.get", challenge, ...fault });
  const authData = authenticatorData(passkey, rpId, fault, 0);
  const signed = Buffer.concat([authData, createHash("sha256").update(data).digest()]);
  const userHandle = "userHandle" in fault ? fault.userHandle : passkey.userHandle;
  return {
    id: passkey.id,
    rawId: passkey.id,
    type: "public-key",
    authenticatorAttachment: "platform",
    clientExtensionResults: {},
    response: {
      clientDataJSON: base64url(data),
      authenticatorData: base64url(authData),
      signature: base64url(sign("sha256", signed, fault.signedBy ?? passkey.privateKey)),
      ...(userHandle === undefined ? {} : { userHandle }),
    },
  };
}

type ClientData = Pick<Fault, "origin" | "crossOrigin"> & { readonly type?: string; readonly challenge?: string };

function clientData({ type, challenge, origin = ORIGIN, crossOrigin = false }: ClientData): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin }));
}

function authenticatorData({ synced, counter = 0 }: SoftwarePasskey, rpId: string, fault: Fault, more: number): Buffer {
  const flags = PRESENT | (fault.userVerified === false ? 0 : VERIFIED) | (synced ? BACKUP : 0) | more;
  const head = createHash("sha256")
    .update(fault.rpId ?? rpId)
    .digest();
  const count = Buffer.alloc(4);
  count.writeUInt32BE(counter);
  return Buffer.concat([head, Buffer.from([flags]), count]);
}

/** CBOR (RFC 8949), as far as it is needed: `{1: 2, 3: -7, -1: 1, -2: x, -3: y}`, an ES256 key of RFC 9053. */
function coseKey(x: Buffer, y: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]), x, Buffer.from([0x22, 0x58, 0x20]), y]);
}

/** `{"fmt": "none", "attStmt": {}, "authData": …}` */
function attestationObject(authData: Buffer): Buffer {
  const text = (value: string) => Buffer.concat([Buffer.from([0x60 + value.length]), Buffer.from(value)]);
  const bytes = Buffer.concat([Buffer.from([0x59]), uint16(authData.length), authData]);
  return Buffer.concat([Buffer.from([0xa3]), text("fmt"), text("none"), text("attStmt"), Buffer.from([0xa0]), text("authData"), bytes]);
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function base64url(bytes: Buffer): string {
  return bytes.toString("base64url");
}
