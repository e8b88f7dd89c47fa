import { generateSecret, verify } from "otplib";

/** The parameters that every authenticator app supports: SHA-1, 6 digits, 30 seconds (RFC 6238); the library's defaults, written out. */
const FORM = { algorithm: "sha1", digits: 6, period: 30 } as const;
const SECRET_BYTES = 20;

export const STEP_SECONDS: number = FORM.period;

/** @returns 160 random bits as base32, without padding. */
export function makeTotpSecret(): string {
  return generateSecret({ length: SECRET_BYTES });
}

/** @returns the six digits, without spaces and hyphens, in ASCII; undefined when it is no such code. */
export function readTotpCode(text: string): string | undefined {
  const digits = text.normalize("NFKC").replaceAll(/[\s\p{Pd}]/gu, "");
  return /^\d{6}$/.test(digits) ? digits : undefined;
}

export type CodeMatch = {
  readonly secret: string;
  /** The code in the form that `readTotpCode` answers. */
  readonly code: string;
  readonly now: Date;
  /** How many steps before and after the present one are accepted. */
  readonly window: number;
};

/** @returns the time step whose code it is; undefined when it is none of the window's. Whether it was used before is for the caller to ask. */
export async function stepOfCode({ secret, code, now, window }: CodeMatch): Promise<number | undefined> {
  const result = await verify({
    ...FORM,
    strategy: "totp",
    secret,
    token: code,
    epoch: Math.floor(now.getTime() / 1000),
    epochTolerance: window * STEP_SECONDS,
  });
  // The answer is an object, and so is true whatever it says; only a code by time has a step.
  return result.valid && "timeStep" in result ? result.timeStep : undefined;
}

export function stepAt(now: Date): number {
  return Math.floor(now.getTime() / 1000 / STEP_SECONDS);
}

/** The time at which the step began. */
export function timeOfStep(step: number): Date {
  return new Date(step * STEP_SECONDS * 1000);
}
