/** Where a code comes from: the authenticator app, or the list of backup codes. */
export type CodeKind = "totp" | "backup_code";

export type SentCode = { readonly kind: CodeKind; readonly value: string };

const TOTP_DIGITS = 6;
const BACKUP_SYMBOLS = 16;
const GROUP = 4;

/** What was typed or pasted as an app's code: `123 456` and full-width digits are what people paste. */
export function onlyDigits(text: string): string {
  return text.normalize("NFKC").replaceAll(/\D/g, "").slice(0, TOTP_DIGITS);
}

/** A backup code as it was shown, from what was typed: `o1l1 …` becomes `0111-…`. */
export function tidyBackupCode(text: string): string {
  const symbols = text
    .normalize("NFKC")
    .toUpperCase()
    .replaceAll("O", "0")
    .replaceAll(/[IL]/g, "1")
    .replaceAll(/[^0-9A-Z]/g, "");
  return (symbols.match(new RegExp(`.{1,${GROUP}}`, "g")) ?? []).join("-");
}

/** Whether nothing is missing, so that it is worth one of the few tries. */
export function isWhole(kind: CodeKind, text: string): boolean {
  return kind === "totp" ? onlyDigits(text).length === TOTP_DIGITS : tidyBackupCode(text).replaceAll("-", "").length === BACKUP_SYMBOLS;
}

/** What to say of a code that is not whole; undefined of one that is. */
export function explainMissing(kind: CodeKind, text: string): string | undefined {
  if (isWhole(kind, text)) {
    return undefined;
  }
  return kind === "totp"
    ? "Enter all six digits that the app shows for Sightline now."
    : `A backup code has ${BACKUP_SYMBOLS} letters and digits. Enter the whole code.`;
}

/** The code as it is sent. */
export function normaliseCode(kind: CodeKind, text: string): string {
  return kind === "totp" ? onlyDigits(text) : tidyBackupCode(text);
}

/** So few that it is time for new ones. */
export const FEW_BACKUP_CODES = 3;
