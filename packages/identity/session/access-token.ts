import { randomUUID } from "node:crypto";
import { errors, jwtVerify, SignJWT } from "jose";
import { z } from "zod";
import type { Clock } from "@sightline/foundation/clock";
import { ACCESS_TOKEN_SECONDS, LIFETIME, refuseLooseToken } from "@sightline/foundation/http/token-lifetime";
import type { SigningKeys } from "#keys/signing-keys.ts";
import type { Role } from "#schema.ts";

/** Opens the product: all three APIs. */
export const PRODUCT_AUDIENCE = "sightline";
/** Opens the change of a one-time password and nothing else; the other parts refuse it by its audience. */
const PASSWORD_CHANGE_AUDIENCE = "sightline-password-change";
/** Opens the set-up of a second factor that the organization asks for, and nothing else. */
const SECOND_FACTOR_AUDIENCE = "sightline-second-factor-setup";
const AUDIENCES = [PRODUCT_AUDIENCE, PASSWORD_CHANGE_AUDIENCE, SECOND_FACTOR_AUDIENCE] as const;

export type TokenSubject = {
  readonly userId: string;
  readonly tenantId: string;
  readonly role: Role;
  readonly epoch: number;
  readonly mustChangePassword: boolean;
  /** From when on an admin without a second factor can only set one up; null for everybody else. */
  readonly secondFactorDue: Date | null;
  readonly sessionId: string;
  readonly amr: readonly string[];
  readonly authenticatedAt: Date;
};

export type AccessTokens = ReturnType<typeof createAccessTokens>;

export type VerifiedToken = Pick<TokenSubject, "userId" | "sessionId" | "epoch"> & {
  readonly opens: "product" | "password_change" | "second_factor_setup";
};

const claimsSchema = z.object({
  sub: z.uuid(),
  sid: z.uuid(),
  epoch: z.int(),
  aud: z.enum(AUDIENCES),
});

const OPENED_BY = {
  [PRODUCT_AUDIENCE]: "product",
  [PASSWORD_CHANGE_AUDIENCE]: "password_change",
  [SECOND_FACTOR_AUDIENCE]: "second_factor_setup",
} as const;

type Dependencies = { readonly keys: SigningKeys; readonly issuer: string; readonly clock: Clock };

/** Signs access tokens, and verifies our own without asking over HTTP. */
export function createAccessTokens({ keys, issuer, clock }: Dependencies) {
  return {
    issue: async (subject: TokenSubject): Promise<string> => {
      const { tenantId: tid, role, epoch, sessionId: sid, amr, userId } = subject;
      const token = new SignJWT({ tid, role, epoch, sid, amr: [...amr], auth_time: toSeconds(subject.authenticatedAt) })
        .setSubject(userId)
        .setAudience(tokenAudience(subject, clock.now()))
        .setJti(randomUUID());
      return signAccessToken(token, { keys, issuer }, clock.now(), ACCESS_TOKEN_SECONDS);
    },
    /** @returns undefined when the token is not one of ours, is over, or was changed. */
    verify: async (token: string): Promise<VerifiedToken | undefined> => {
      const claims = claimsSchema.safeParse(await verifiedPayload(token, { keys, issuer, clock }));
      if (!claims.success) {
        return undefined;
      }
      const { sub, sid, epoch, aud } = claims.data;
      return { userId: sub, sessionId: sid, epoch, opens: OPENED_BY[aud] };
    },
  };
}

function tokenAudience({ mustChangePassword, secondFactorDue }: TokenSubject, now: Date): string {
  if (mustChangePassword) {
    return PASSWORD_CHANGE_AUDIENCE;
  }
  return secondFactorDue !== null && secondFactorDue <= now ? SECOND_FACTOR_AUDIENCE : PRODUCT_AUDIENCE;
}

/** Signs the token with the active key, valid from `now` for so many seconds. */
export async function signAccessToken(
  token: SignJWT,
  { keys, issuer }: Omit<Dependencies, "clock">,
  now: Date,
  seconds: number,
): Promise<string> {
  const { kid, privateKey } = await keys.active();
  return token
    .setProtectedHeader({ alg: "RS256", kid, typ: "at+jwt" })
    .setIssuer(issuer)
    .setIssuedAt(toSeconds(now))
    .setExpirationTime(toSeconds(now) + seconds)
    .sign(privateKey);
}

async function verifiedPayload(token: string, { keys, issuer, clock }: Dependencies): Promise<unknown> {
  try {
    const verified = await jwtVerify(
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
        audience: [...AUDIENCES],
        requiredClaims: ["sub", "tid", "aud", "exp", "iat", "jti", "sid", "epoch"],
        ...LIFETIME,
        currentDate: clock.now(),
      },
    );
    refuseLooseToken(verified);
    return verified.payload;
  } catch (error) {
    if (error instanceof errors.JOSEError) {
      return undefined;
    }
    throw error;
  }
}

export function toSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}
