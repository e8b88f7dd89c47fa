import { z } from "zod";

/** The kinds of second factor, each of which is asked for by itself. A backup code is none: it stands in for a code of the app. */
export const factorSchema = z.enum(["totp", "passkey"]);
export type Factor = z.infer<typeof factorSchema>;

type AnsweredAccount = { readonly totp_enabled: boolean; readonly passkeys: number };

const IS_SET_UP: Readonly<Record<Factor, (account: AnsweredAccount) => boolean>> = {
  totp: ({ totp_enabled: isEnabled }) => isEnabled,
  passkey: ({ passkeys }) => passkeys > 0,
};

/** The second factors of an account, by what answers say of it. */
export function factorsOfAccount(account: AnsweredAccount): readonly Factor[] {
  return factorSchema.options.filter((factor) => IS_SET_UP[factor](account));
}
