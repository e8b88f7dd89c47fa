import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A certificate for `localhost` that only those trust who are given its file. */
export type Certificate = {
  readonly key: Buffer;
  readonly certificate: Buffer;
  readonly file: string;
  readonly remove: () => Promise<void>;
};

export async function createCertificate(): Promise<Certificate> {
  const folder = await mkdtemp(join(tmpdir(), "sightline-certificate-"));
  const [key, file] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,DNS:git.sightline.test,IP:127.0.0.1"];
  const made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", ...names];
  execFileSync("openssl", [...made, "-keyout", key, "-out", file], { stdio: "ignore" });
  return {
    key: await readFile(key),
    certificate: await readFile(file),
    file,
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
