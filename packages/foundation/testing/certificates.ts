import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A certificate for `localhost` that only those trust who are given its file. */
export type Certificate = {
  readonly key: Buffer;
  readonly certificate: Buffer;
  readonly file: string;
  readonly remove: () => Promise<void>;
};

const DAY_MS = 24 * 60 * 60 * 1000;

/** Node can sign but not write certificates, and not every machine has the `openssl` program. */
export async function createCertificate(): Promise<Certificate> {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const issued = issue(publicKey.export({ type: "spki", format: "der" }), (bytes) => sign("sha256", bytes, privateKey));
  const lines = issued.toString("base64").replaceAll(/.{64}/g, "$&\n").trimEnd();
  const certificate = Buffer.from(`-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`);
  const folder = await mkdtemp(join(tmpdir(), "sightline-certificate-"));
  const file = join(folder, "certificate.pem");
  await writeFile(file, certificate);
  return {
    key: Buffer.from(privateKey.export({ type: "pkcs8", format: "pem" })),
    certificate,
    file,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** @returns an X.509 certificate (RFC 5280) in DER that its own key has signed. */
function issue(publicKey: Buffer, signed: (bytes: Buffer) => Buffer): Buffer {
  const ecdsaWithSha256 = sequence(value(0x06, Buffer.from("2a8648ce3d040302", "hex")));
  const commonName = sequence(value(0x06, Buffer.from("550403", "hex")), value(0x0c, Buffer.from("localhost")));
  const name = sequence(value(0x31, commonName));
  const validity = sequence(utcTime(Date.now() - DAY_MS), utcTime(Date.now() + DAY_MS));
  const hosts = ["localhost", "git.sightline.test"].map((host) => value(0x82, Buffer.from(host)));
  const alternativeNames = extension("551d11", sequence(...hosts, value(0x87, Buffer.from([127, 0, 0, 1]))));
  const isAuthority = extension("551d13", sequence(value(0x01, Buffer.from([0xff]))));
  const version = value(0xa0, value(0x02, Buffer.from([2])));
  const serial = value(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)]));
  const extensions = value(0xa3, sequence(alternativeNames, isAuthority));
  const body = sequence(version, serial, ecdsaWithSha256, name, validity, name, publicKey, extensions);
  return sequence(body, ecdsaWithSha256, value(0x03, Buffer.concat([Buffer.from([0]), signed(body)])));
}

function extension(id: string, content: Buffer): Buffer {
  return sequence(value(0x06, Buffer.from(id, "hex")), value(0x04, content));
}

function utcTime(at: number): Buffer {
  return value(0x17, Buffer.from(`${new Date(at).toISOString().slice(2, 19).replaceAll(/[-:T]/g, "")}Z`));
}

function sequence(...values: readonly Buffer[]): Buffer {
  return value(0x30, Buffer.concat(values));
}

function value(tag: number, content: Buffer): Buffer {
  const long = Buffer.from([0x82, content.length >> 8, content.length & 0xff]);
  return Buffer.concat([Buffer.from([tag]), content.length < 0x80 ? Buffer.from([content.length]) : long, content]);
}
