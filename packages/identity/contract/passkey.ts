import { z } from "zod";
import { fullSessionSchema, id, ONE_LINE, timestamp } from "./parts.ts";

/** Requests and answers about passkeys (WebAuthn); what browsers make of them has the names of its JSON. */

const base64url = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[\w-]+$/, "base64url");

const credentialId = base64url(1400);
const attachment = z.enum(["platform", "cross-platform"]);
const transports = z.array(z.string().max(32).regex(ONE_LINE)).max(10);

const descriptorSchema = z.object({ id: z.string(), type: z.literal("public-key"), transports: transports.exactOptional() });

/** The options of `navigator.credentials.get`. */
export const passkeyRequestSchema = z.object({
  challenge: z.string(),
  rpId: z.string(),
  timeout: z.int(),
  allowCredentials: z.array(descriptorSchema).exactOptional(),
  userVerification: z.literal("required"),
});
export type PasskeyRequest = z.infer<typeof passkeyRequestSchema>;

/** The options of `navigator.credentials.create`. */
export const passkeyCreationSchema = z.object({
  challenge: z.string(),
  rp: z.object({ id: z.string(), name: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.object({ alg: z.int(), type: z.literal("public-key") })),
  timeout: z.int(),
  excludeCredentials: z.array(descriptorSchema),
  authenticatorSelection: z.object({
    residentKey: z.literal("required"),
    requireResidentKey: z.literal(true),
    userVerification: z.literal("required"),
  }),
  attestation: z.literal("none"),
});
export type PasskeyCreation = z.infer<typeof passkeyCreationSchema>;

const credential = {
  id: credentialId,
  rawId: credentialId,
  type: z.literal("public-key"),
  authenticatorAttachment: attachment.nullish().transform((value) => value ?? undefined),
  /** The answers of extensions, of which none is asked for. */
  clientExtensionResults: z.unknown().transform(() => ({})),
};

/** The answer of a passkey to a request. */
export const passkeyAssertionSchema = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url(4096),
    authenticatorData: base64url(4096),
    signature: base64url(4096),
    userHandle: base64url(128)
      .nullish()
      .transform((value) => value ?? undefined),
  }),
});
export type PasskeyAssertion = z.infer<typeof passkeyAssertionSchema>;

/** The answer of a new passkey. */
export const passkeyAttestationSchema = z.object({
  ...credential,
  response: z.object({ clientDataJSON: base64url(4096), attestationObject: base64url(8192), transports: transports.default([]) }),
});
export type PasskeyAttestation = z.infer<typeof passkeyAttestationSchema>;

const passkeyName = z.string().trim().min(1, "at least one character").max(100, "at most 100 characters").regex(ONE_LINE, "one line");

/** `GET /login/passkeys` */
export const passkeySchema = z.object({
  id,
  name: z.string(),
  created_at: timestamp,
  last_used_at: timestamp.nullable(),
  /** Whether its owner's other devices have it too. */
  synced: z.boolean(),
});
export type Passkey = z.infer<typeof passkeySchema>;
export const passkeysSchema = z.object({ passkeys: z.array(passkeySchema) });
export type PasskeysAnswer = z.infer<typeof passkeysSchema>;

/** `POST /login/passkeys` */
export const registerPasskeyRequestSchema = z.object({ name: passkeyName, response: passkeyAttestationSchema });
export type RegisterPasskeyRequest = z.infer<typeof registerPasskeyRequestSchema>;

/** With the first passkey comes a new session in place of all others. */
export const registerPasskeyAnswerSchema = fullSessionSchema.partial().extend({ passkey: passkeySchema });

/** `PATCH /login/passkeys/:id` */
export const renamePasskeyRequestSchema = z.object({ name: passkeyName });

/** `POST /login/passkey`, `POST /step-up/passkey` */
export const passkeyAnswerRequestSchema = z.object({ response: passkeyAssertionSchema });

/** `POST /login/verify-2fa/passkey/options` */
export const secondStepPasskeyOptionsRequestSchema = z.object({ partial_token: z.string().max(128) });

/** `POST /login/verify-2fa/passkey` */
export const secondStepPasskeyRequestSchema = passkeyAnswerRequestSchema.extend({ partial_token: z.string().max(128) });

/** The answer to a login by passkey. */
export const passkeyLoginAnswerSchema = fullSessionSchema.extend({ method: z.literal("passkey") });
export type PasskeyLoginAnswer = z.infer<typeof passkeyLoginAnswerSchema>;
