import { fail } from "node:assert";
import { once } from "node:events";
import { createServer } from "node:http";
import { exportJWK, generateKeyPair, SignJWT } from "jose";

/** Claims; `undefined` takes one away. */
export type JobClaims = Readonly<Record<string, unknown>>;
export type JobIssuer = Awaited<ReturnType<typeof startJobIssuer>>;

/** Stands for GitHub, GitLab or a cluster: an issuer with a description and keys, by OpenID Connect Discovery. */
export async function startJobIssuer() {
  const pairs = new Map<string, Awaited<ReturnType<typeof generateKeyPair>>>();
  const asked = { description: 0, keys: 0 };
  /** Its answers in place of all, and of the keys alone. */
  let instead: string | undefined;
  let insteadOfKeys: string | undefined;
  const addKey = async (kid: string) => pairs.set(kid, await generateKeyPair("RS256", { extractable: true }));
  await addKey("one");
  const pairOf = (kid: string) => pairs.get(kid) ?? fail(`there is no key ${kid}`);
  const server = createServer((request, response) => {
    const isKeys = request.url === "/keys";
    asked[isKeys ? "keys" : "description"] += 1;
    response.setHeader("content-type", "application/json");
    void (async () => {
      const keys = await Promise.all(
        [...pairs].map(async ([kid, { publicKey }]) => ({ ...(await exportJWK(publicKey)), kid, alg: "RS256" })),
      );
      const description = { issuer, jwks_uri: `${issuer}/keys`, id_token_signing_alg_values_supported: ["RS256"] };
      response.end(instead ?? (isKeys ? insteadOfKeys : undefined) ?? JSON.stringify(isKeys ? { keys } : description));
    })();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const issuer = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
  return {
    issuer,
    asked,
    addKey,
    answer: (text: string | undefined) => (instead = text),
    answerKeys: (text: string) => (insteadOfKeys = text),
    publicKey: async (kid = "one") => exportJWK(pairOf(kid).publicKey),
    /** Signs what it says of a job. */
    sign: async (claims: JobClaims, kid = "one"): Promise<string> => {
      const now = Math.floor(Date.now() / 1000);
      const said = { iss: issuer, iat: now, nbf: now, exp: now + 300, jti: crypto.randomUUID(), ...claims };
      return new SignJWT(JSON.parse(JSON.stringify(said))).setProtectedHeader({ alg: "RS256", kid }).sign(pairOf(kid).privateKey);
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
