import { memoize } from "./memoize.ts";

/** Parts that no harmless key contains, wherever they stand: `DB_PASSWORD`, `userpassword`, `x-api-key`, `XAPIKEY`. */
const ANYWHERE =
  /passw(?:or)?d(?!less)|passphrase|secret(?!ar)|api_?key|authorization|credential|(?:private|access|signing|encryption|master|shared|account|auth|host|ssh)_?key(?!_?id|s?_?count)|connection_?string|credit_?card|card_?number/;
/** Short names are secret only as a word of their own. */
const WORDS = /(?:^|_)(?:pwd|pass|otp|totp|ssn|cvv|cvc|jwt|bearer|cookies?)(?:_|$)|^auth$/;
const TOKENS = /tokens?$/;
/** Most keys have none of these, which is found in a fraction of the time that the rest takes. */
const SUSPICIOUS = /pass|pw|secret|key|auth|cookie|cred|card|bearer|otp|ssn|token|jwt|cv[vc]|connection|[^ -~]/i;

const MAX_KEY_LENGTH = 256;

/** Whether values under this key are masked: `apiKey`, `api_key`, `x-api-key`, `DB_PASSWORD`; not `keyboard`, `passwordless`, `author`. */
export const isSecretKey: (key: string) => boolean = memoize(
  (key) =>
    SUSPICIOUS.test(key) &&
    namesSecret(key.length > MAX_KEY_LENGTH ? `${key.slice(0, MAX_KEY_LENGTH)}_${key.slice(-MAX_KEY_LENGTH)}` : key),
  { entries: 4000, keyLength: MAX_KEY_LENGTH },
);

/** Counts of tokens are wanted; a token that is text or an object is not. */
export function isSecretValue(key: string, value: unknown): boolean {
  if (value === null || value === undefined || typeof value === "boolean") {
    return false;
  }
  return isSecretKey(key) && !(typeof value === "number" && /tokens?$/i.test(key));
}

function namesSecret(key: string): boolean {
  const words = key
    // Full-width letters are the letters they look like, and what cannot be seen is not there.
    .normalize("NFKC")
    .replaceAll(/\p{Cf}/gu, "")
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .toLowerCase();
  return ANYWHERE.test(words) || WORDS.test(words) || TOKENS.test(words.replace(/_+$/, ""));
}
