import { silentLog } from "@sightline/foundation/testing/silent-log";
import { generateKeyPairSync, sign } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createAccessTokenVerifier, type AccessTokenVerifier } from "@sightline/foundation/http/access-token";

export type TokenIssuer = {
  readonly verifier: AccessTokenVerifier;
  readonly jwksUrl: string;
  /** A signed token of an admin of `tid`, unless the claims say otherwise; an `undefined` claim is left out. */
  readonly issue: (claims: Readonly<Record<string, unknown>>) => string;
  readonly close: () => Promise<void>;
};

const AUDIENCE = "sightline";

/** Signs RS256 access tokens and publishes its key at an address of its own, as identity does. */
export async function createTokenIssuer(): Promise<TokenIssuer> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const keys = [{ ...publicKey.export({ format: "jwk" }), kid: "test", alg: "RS256", use: "sig" }];
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "application/json").end(JSON.stringify({ keys }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const jwksUrl = `http://127.0.0.1:${port}/jwks`;
  return {
    jwksUrl,
    verifier: createAccessTokenVerifier({ log: silentLog, jwksUrl, audience: AUDIENCE }),
    issue: (claims) => {
      const now = Math.floor(Date.now() / 1000);
      const payload = { sub: "user-1", aud: AUDIENCE, iat: now, exp: now + 3600, role: "admin", ...claims };
      const signed = `${part({ alg: "RS256", kid: "test", typ: "JWT" })}.${part(payload)}`;
      return `${signed}.${sign("sha256", Buffer.from(signed), privateKey).toString("base64url")}`;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function part(content: object): string {
  return Buffer.from(JSON.stringify(content)).toString("base64url");
}
