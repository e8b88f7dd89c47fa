import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";

export type IdentityProvider = {
  readonly jwksUrl: string;
  /** A token as this provider writes them; an `undefined` claim is left out. */
  readonly issue: (claims?: Readonly<Record<string, unknown>>, algorithm?: "RS256" | "ES256" | "HS256" | "none") => string;
  readonly close: () => void;
};

/** An identity provider that is not ours: other issuer, other header, no feed, keys of several kinds. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const elliptic = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const keys = [
    { ...rsa.publicKey.export({ format: "jwk" }), kid: "RS256", use: "sig" },
    { ...elliptic.publicKey.export({ format: "jwk" }), kid: "ES256", use: "sig" },
  ];
  const signatures = {
    RS256: (text: string) => sign("sha256", Buffer.from(text), rsa.privateKey),
    ES256: (text: string) => sign("sha256", Buffer.from(text), { key: elliptic.privateKey, dsaEncoding: "ieee-p1363" }),
    HS256: (text: string) =>
      createHmac("sha256", rsa.publicKey.export({ format: "pem", type: "spki" }))
        .update(text)
        .digest(),
    none: () => Buffer.alloc(0),
  };
  const server = createServer((request, response) => {
    const { origin } = new URL(jwksUrl);
    const answer = request.url === "/keys" ? { keys } : { issuer: origin, jwks_uri: jwksUrl };
    response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const jwksUrl = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/keys`;
  return {
    jwksUrl,
    issue: (claims = {}, algorithm = "RS256") => {
      const now = Math.floor(Date.now() / 1000);
      const payload = { iss: "https://provider.example/", sub: "u-17", aud: "sightline", iat: now, exp: now + 3600, ...claims };
      const text = [{ alg: algorithm, kid: algorithm === "ES256" ? "ES256" : "RS256" }, payload]
        .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
        .join(".");
      return `${text}.${signatures[algorithm](text).toString("base64url")}`;
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
