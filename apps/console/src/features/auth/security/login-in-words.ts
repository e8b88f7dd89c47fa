const FACTORS: Readonly<Record<string, string>> = {
  sso: "company sign-in",
  pwd: "password",
  otp: "code",
  backup: "backup code",
  hwk: "passkey",
  swk: "passkey",
};

/** How somebody logged in: `password and code`. */
export function loginInWords(amr: readonly string[]): string {
  const words = amr.flatMap((method) => FACTORS[method] ?? []);
  return words.length === 0 ? "unknown" : words.join(" and ");
}
