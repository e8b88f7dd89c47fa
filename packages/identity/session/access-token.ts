import { randomUUID } from "node:crypto";
import { errors, jwtVerify, SignJWT } from "jose";
import { z } from "zod";
import type { Clock } from "@sightline/foundation/clock";
import type { SigningKeys } from "#keys/signing-keys.ts";
import type { Role } from "#schema.ts";

/** Opens the product: all three APIs. */
export const PRODUCT_AUDIENCE = "sightline";
/** Opens the change of a one-time password and nothing else; the other parts refuse it by its audience. */
const PASSWORD_CHANGE_AUDIENCE = "sightline-password-change";

export const ACCESS_TOKEN_SECONDS = 3600;
const CLOCK_TOLERANCE_SECONDS = 30;

export type TokenSubject = {
  readonly userId: string;
  readonly tenantId: string;
  readonly role: Role;
  readonly epoch: number;
  readonly mustChangePassword: boolean;
  readonly sessionId: string;
  readonly amr: readonly string[];
  readonly authenticatedAt: Date;
};

export type AccessTokens = {
  readonly issue: (subject: TokenSubject) => Promise<string>;
  /** @returns undefined when the token is not one of ours, is over, or was changed. */
  readonly verify: (token: string) => Promise<VerifiedToken | undefined>;
};

type VerifiedToken = {
  readonly userId: string;
  readonly sessionId: string;
  readonly epoch: number;
  readonly opensProduct: boolean;
};

const claimsSchema = z.object({
  sub: z.uuid(),
  sid: z.uuid(),
  epoch: z.int(),
  aud: z.enum([PRODUCT_AUDIENCE, PASSWORD_CHANGE_AUDIENCE]),
});

type Dependencies = { readonly keys: SigningKeys; readonly issuer: string; readonly clock: Clock };

/** Signs access tokens, and verifies our own without asking over HTTP. */
export function createAccessTokens({ keys, issuer, clock }: Dependencies): AccessTokens {
  return {
    issue: async (subject) => {
      const { kid, privateKey } = await keys.active();
      const now = toSeconds(clock.now());
      return new SignJWT({
        tid: subject.tenantId,
        role: subject.role,
        epoch: subject.epoch,
        sid: subject.sessionId,
        amr: [...subject.amr],
        auth_time: toSeconds(subject.authenticatedAt),
      })
        .setProtectedHeader({ alg: "RS256", kid, typ: "at+jwt" })
        .setIssuer(issuer)
        .setSubject(subject.userId)
        .setAudience(subject.mustChangePassword ? PASSWORD_CHANGE_AUDIENCE : PRODUCT_AUDIENCE)
        .setIssuedAt(now)
        .setExpirationTime(now + ACCESS_TOKEN_SECONDS)
        .setJti(randomUUID())
        .sign(privateKey);
    },
    verify: async (token) => {
      const claims = claimsSchema.safeParse(await verifiedPayload(token, { keys, issuer, clock }));
      if (!claims.success) {
        return undefined;
      }
      const { sub, sid, epoch, aud } = claims.data;
      return { userId: sub, sessionId: sid, epoch, opensProduct: aud === PRODUCT_AUDIENCE };
    },
  };
}

async function verifiedPayload(token: string, { keys, issuer, clock }: Dependencies): Promise<unknown> {
  try {
    const { payload } = await jwtVerify(
      token,
      async ({ kid }) => {
        const key = kid === undefined ? undefined : await keys.verifying(kid);
        if (key === undefined) {
          throw new errors.JWKSNoMatchingKey();
        }
        return key;
      },
      {
        algorithms: ["RS256"],
        typ: "at+jwt",
        issuer,
        audience: [PRODUCT_AUDIENCE, PASSWORD_CHANGE_AUDIENCE],
        requiredClaims: ["sub", "tid", "aud", "exp", "iat", "jti", "sid", "epoch"],
        clockTolerance: CLOCK_TOLERANCE_SECONDS,
        currentDate: clock.now(),
      },
    );
    return payload;
  } catch (error) {
    if (error instanceof errors.JOSEError) {
      return undefined;
    }
    throw error;
  }
}

function toSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}
