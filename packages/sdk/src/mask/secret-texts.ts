import { MASKED } from "./masking.ts";
import { isSecretKey } from "./secret-keys.ts";

/** Anything quoted that looks like the key of JSON text, with a value of text or number; a text that was cut ends without a quote. */
const JSON_ENTRY =
  /(\\?")([\w.-]{2,64})(\\?"\s{0,20}:\s{0,20})("(?:[^"\\]|\\.)*(?:"|\\?$)|\\"(?:[^"\\]|\\[^"])*(?:\\"|\\?$)|-?\d[\d.eE+-]*)/g;

/** Names that are secret wherever text assigns to them; what stands in front, as in `DB_PASSWORD`, does not matter. */
const NAME =
  "(?:passw(?:or)?d|passphrase|pwd|secret|api[_-]?key|(?:private|access|signing|encryption|account|shared|auth)[_-]?key|token|credential)[\\w-]{0,20}";
/** A value in quotes may hold spaces and commas and ends with the same quote, which is escaped within JSON text; a bare one is a word. */
const ASSIGNMENT = new RegExp(
  `(${NAME})(\\\\*["']?\\s{0,4}(?:[:=]|=>)\\s{0,4})(?:(\\\\*["'])((?:(?!\\3)[^\\r\\n]){1,4096})|([^\\s"'\\\\,;&<>(){}[\\]]+))`,
  "gi",
);

/**
 * Each rule needs one of these: a word, or a sign by which secrets are known. Looked for by a letter that is rare in texts, with what
 * stands before it looked at afterwards, which takes half the time of the words as they are, and a tenth of that of the rules.
 */
const WORDS =
  /k(?:(?<=tok)en|(?<=cook)ie|(?<=(?:api|private|access|signing|encryption|account|shared|auth)[_-]?k)ey)|w(?:(?<=passw)|(?<=pw)d)|(?<=authori)zation|b(?:earer|asi(?=c))|(?<=pass)phrase|c(?:(?<=sec)ret|redential)/i;
const EACH_WORD = new RegExp(WORDS, "gi");
const SIGNS =
  /(?<=:\/\/[^\s"@]{0,1300})@|(?<=ey)J|(?<=A[KS])IA[A-Z0-9]|(?<=AI)za|(?<=sk|k_live|k_test|gh[pousr]|_pat|glpat|xox[a-z]|npm|hf|studio)[-_][\w-]{10}|-----BEGIN/;
/** JSON within a text of JSON: its keys may be secret by any word. */
const EMBEDDED = /(?<="(?:\s|\\[a-z]|\\u000b)*)[{[]/;

type Rule = {
  /** Which of the words must be among those that `WORDS` finds, in small letters and as it finds them; none where it needs a sign. */
  readonly needs?: RegExp;
  readonly pattern: RegExp;
  readonly masked: string | ((...groups: string[]) => string);
};

const RULES: readonly Rule[] = [
  // A key block, also one that was cut or whose lines are escaped.
  {
    pattern: /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[^]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|$)/g,
    masked: MASKED,
  },
  // scheme://user:password@host, the password up to the last @ before the path, as people forget to encode theirs.
  { pattern: /(:\/\/[^\s:/?#@"'<>]{0,200}):[^\s"'<>/]{1,400}@/g, masked: `$1:${MASKED}@` },
  {
    needs: /ken|key|earer/,
    pattern: /\b(Bearer|Token|ApiKey)(\s{1,4}|\s{0,4}:\s{0,4})(?!realm\b)(?=[\w.~+/-]{0,99}(?:[\d.~+/=_-]|\w{16}))[\w.~+/-]{6,}={0,2}/gi,
    masked: `$1$2${MASKED}`,
  },
  {
    needs: /zation/,
    pattern:
      /(authorization["']?\s{0,4}[:=]\s{0,4}["']?)(?:(?:Digest|Hawk|Signature|AWS4[\w-]{0,30})\s[^\r\n]{1,8192}|(?:[\w-]{1,20}\s{1,4})?[^\s"',;]+)/gi,
    masked: `$1${MASKED}`,
  },
  { needs: /kie/, pattern: /(cookie["']?\s{0,4}[:=]\s{0,4}["']?)[^\r\n"']{1,8192}/gi, masked: `$1${MASKED}` },
  { needs: /basi/, pattern: /\b(basic\s{1,4})([A-Za-z0-9+/]{6,4096}={0,2})/gi, masked: maskBasic },
  // JSON web tokens.
  { pattern: /\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)*/g, masked: MASKED },
  // Keys that say what they are: OpenAI, Anthropic, Stripe, GitHub, GitLab, Slack, AWS, Google, npm, Hugging Face, this product.
  {
    pattern:
      /\b(?:sk-[\w-]{16,}|[rsp]k_(?:live|test)_\w{10,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[a-z]-[\w-]{10,}|A[KS]IA[A-Z0-9]{16}|AIza[\w-]{30,}|npm_\w{30,}|hf_\w{20,}|studio_[0-9a-f]{64})/g,
    masked: MASKED,
  },
  { needs: /ken|key|w|phrase|cre/, pattern: ASSIGNMENT, masked: maskAssigned },
  {
    needs: /ken|key|w|cret/,
    pattern: /(\s--?[\w-]{0,40}(?:password|passwd|pwd|secret|token|api-?key))(\s{1,4})(?!-)[^\s"']+/gi,
    masked: `$1$2${MASKED}`,
  },
];

/** Masks what looks like a secret within a text: in JSON under secret keys, in assignments, URLs, headers, and keys known by their form. */
export function maskText(text: string): string {
  if (text.length < 6) {
    return text;
  }
  let masked = /^\s{0,100}[{[]/.test(text) ? maskEntries(text) : text;
  const words = masked.match(EACH_WORD)?.join(" ").toLowerCase() ?? "";
  const hasSigns = SIGNS.test(masked);
  for (const { needs, pattern, masked: replacement } of words === "" && !hasSigns ? [] : RULES) {
    if (!(needs?.test(words) ?? hasSigns)) {
      continue;
    }
    masked = typeof replacement === "string" ? masked.replaceAll(pattern, replacement) : masked.replaceAll(pattern, replacement);
  }
  return masked;
}

/**
 * False when `maskText` leaves each text of this JSON as it is. One look at what is sent anyway; escapes stand for no letter and no sign
 * that is looked for.
 */
export function mayHoldSecrets(json: string): boolean {
  return WORDS.test(json) || SIGNS.test(json) || EMBEDDED.test(json);
}

/** `max_tokens: 5` is a count, and what is masked already stays as it is. */
function maskAssigned(whole: string, name: string, between: string, quote: string | undefined, quoted: string, bare: string): string {
  return isHarmless(name, quoted ?? bare) ? whole : `${name}${between}${quote ?? ""}${MASKED}`;
}

/** "Basic JavaScript" is no credential; one decodes to `user:password`. */
function maskBasic(whole: string, scheme: string, value: string): string {
  return Buffer.from(value, "base64").includes(":") ? `${scheme}${MASKED}` : whole;
}

function isHarmless(name: string, value: string): boolean {
  return (
    !isSecretKey(name) ||
    value.startsWith(MASKED) ||
    value.startsWith("masked]") ||
    /^(?:true|false|null|undefined|none)$/i.test(value) ||
    (/tokens?$/i.test(name) && /^\d{1,9}$/.test(value))
  );
}

function maskEntries(text: string): string {
  return text.replaceAll(JSON_ENTRY, (entry, open: string, key: string, colon: string, value: string) => {
    const number = !value.startsWith('"') && !value.startsWith("\\");
    if (isSecretKey(key) && !(number && /tokens?$/i.test(key))) {
      return `${open}${key}${colon}${open}${MASKED}${open}`;
    }
    return /^"\s{0,100}[{[]/.test(value) ? `${open}${key}${colon}${maskInner(value)}` : entry;
  });
}

/** JSON text within JSON text, as providers send the arguments of tool calls. */
function maskInner(value: string): string {
  let inner: unknown;
  try {
    inner = JSON.parse(value);
  } catch {
    // It was cut: its own quotes are still escaped.
    return `"${maskEntries(value.slice(1))}`;
  }
  const masked = typeof inner === "string" ? maskEntries(inner) : inner;
  return masked === inner ? value : JSON.stringify(masked);
}
