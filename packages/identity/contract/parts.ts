import { z } from "zod";

export const id = z.uuid();
export const timestamp = z.iso.datetime();
export const limit = z.coerce.number().int().min(1).max(200).default(50);
export const cursor = z.string().max(512).optional();

/** Matches an address of one mailbox, also `admin@localhost` and one with letters beyond ASCII: no second recipient and no header fits in. */
export const EMAIL_ADDRESS = /^[^\s\p{Cc}\p{Cf}\p{Cs}<>()[\]\\,;:"@]+@[^\s\p{Cc}\p{Cf}\p{Cs}<>()[\]\\,;:"@]+$/u;
export const emailAddress = z.string().max(320).regex(EMAIL_ADDRESS, "expected an e-mail address");

export const fullSessionSchema = z.object({
  token_type: z.literal("bearer"),
  access_token: z.string(),
  /** Seconds. */
  expires_in: z.int(),
});
export type FullSession = z.infer<typeof fullSessionSchema>;

/**
 * Matches text that is one line and looks like it: no control characters, lone surrogates, or characters that reverse
 * the direction of text.
 */
export const ONE_LINE = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u202A-\u202E\u2066-\u2069]*$/u;
