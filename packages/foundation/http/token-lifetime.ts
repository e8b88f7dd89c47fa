import { errors, type JWTVerifyResult } from "jose";

/** Seconds that an access token is good for at the most, whoever issued it: what ends one early is told of for hardly longer. */
export const ACCESS_TOKEN_SECONDS = 3600;
const CLOCK_TOLERANCE_SECONDS = 30;

/** For `jwtVerify`: refuses what was issued in the future, or longer ago. */
export const LIFETIME = { maxTokenAge: ACCESS_TOKEN_SECONDS, clockTolerance: CLOCK_TOLERANCE_SECONDS };

/**
 * Refuses what a library lets pass: a token for several audiences, which each of them could use at the others; one that is to last for
 * longer than an hour; one that does not say which key it was signed with.
 *
 * @throws {errors.JOSEError}
 */
export function refuseLooseToken({ payload, protectedHeader }: JWTVerifyResult): void {
  const { aud, exp = Number.POSITIVE_INFINITY, iat = 0 } = payload;
  // A list of one is the same as its member (RFC 7519, 4.1.3).
  if (Array.isArray(aud) && aud.length !== 1) {
    throw new errors.JWTClaimValidationFailed("it is for more than one audience", payload, "aud", "check_failed");
  }
  if (exp - iat > ACCESS_TOKEN_SECONDS + CLOCK_TOLERANCE_SECONDS) {
    throw new errors.JWTClaimValidationFailed("it is good for more than an hour", payload, "exp", "check_failed");
  }
  if (protectedHeader.kid === undefined) {
    throw new errors.JWSInvalid("it names no key");
  }
}
