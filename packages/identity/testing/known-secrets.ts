import { SealError, createSealer, type Sealer } from "#keys/sealed-values.ts";
import type { IdentityConfig } from "#config.ts";
import { splitAnswer } from "./allowed-showings.ts";
import type { Exchange } from "./recording.ts";
import type { StoredText } from "./stored-texts.ts";

export type KnownSecret = {
  readonly kind: string;
  readonly value: string;
  /** The only column that may hold it. */
  readonly column?: string;
};

type Sources = {
  readonly exchanges: readonly Exchange[];
  readonly stored: readonly StoredText[];
  readonly configs: readonly IdentityConfig[];
  /** Passwords that a test gives to the part without a request. */
  readonly passwords: readonly string[];
};

const SENT_FIELDS = [
  "password",
  "current_password",
  "new_password",
  "partial_token",
  "setup_token",
  "token",
  "code",
  "client_secret",
  "query",
];

/** Columns that hold a hash or a sealed value: what is in them is in no other place. */
const SECRET_COLUMNS = ["password_hash", "totp_secret", "totp_backup_codes", "refresh_salt", "private_key", "token_hash"];

/** Sealed columns with what is sealed in them: opened, it is in no place at all. */
const SEALED = { totp_secret: "users.totp_secret", sealed_link: "notices.sealed_link" } as const;

/** Shorter ones are found in innocent texts. */
const SHORTEST = 10;

const SIX_DIGITS = /^\d{6}$/;
/** Less varied ones, as a made-up code of zeros, stand in innocent texts too. */
const FEWEST_SYMBOLS = 5;

/** Every secret that a test made, sent, was shown or stored. */
export function collectSecrets({ exchanges, stored, configs, passwords }: Sources): readonly KnownSecret[] {
  const sealers = configs.map(({ ENCRYPTION_KEYS: ring }) => createSealer(ring));
  const found: KnownSecret[] = [
    ...passwords.map((value) => ({ kind: "password", value })),
    ...configs.flatMap((config) => [
      { kind: "SECRET_KEY", value: config.SECRET_KEY },
      ...config.ENCRYPTION_KEYS.map(({ secret }) => ({ kind: "key of the ring", value: secret })),
    ]),
    ...exchanges.flatMap(secretsIn),
    ...stored.flatMap((text) => secretsOf(text, sealers)),
  ];
  const fit = found.flatMap(spellings).filter(({ value }) => isTelling(value));
  return [...new Map(fit.map((secret) => [`${secret.value} ${secret.column ?? ""}`, secret])).values()];
}

function isTelling(value: string): boolean {
  return SIX_DIGITS.test(value) || (value.length >= SHORTEST && new Set(value).size >= FEWEST_SYMBOLS);
}

function secretsIn(exchange: Exchange): readonly KnownSecret[] {
  const { body, authorization, cookie } = exchange.sent;
  const fields: Readonly<Record<string, unknown>> = typeof body === "object" && body !== null ? { ...body } : {};
  return [
    ...splitAnswer(exchange).shown.filter(({ kind }) => kind !== "qr_svg"),
    ...SENT_FIELDS.flatMap((kind) => {
      const value = fields[kind];
      return typeof value === "string" ? [{ kind: `sent ${kind}`, value }] : [];
    }),
    { kind: "sent authorization", value: authorization.replace(/^\S+\s+/, "") },
    ...cookie.split(/;\s*/).map((pair) => ({ kind: "sent cookie", value: pair.slice(pair.indexOf("=") + 1) })),
  ];
}

function secretsOf({ column, id, value }: StoredText, sealers: readonly Sealer[]): readonly KnownSecret[] {
  const own = SECRET_COLUMNS.includes(column) ? [{ kind: column, value, column }] : [];
  const purpose = column === "totp_secret" || column === "sealed_link" ? SEALED[column] : undefined;
  const opened = purpose === undefined ? [] : sealers.flatMap((sealer) => open(sealer, value, { purpose, subject: id }));
  return [...own, ...opened.map((plain) => ({ kind: `opened ${column}`, value: plain }))];
}

/** A test may have broken what is sealed, or taken its key away. */
function open(sealer: Sealer, value: string, context: { readonly purpose: string; readonly subject: string }): readonly string[] {
  try {
    return [sealer.open(value, context).toString()];
  } catch (error) {
    if (error instanceof SealError) {
      return [];
    }
    throw error;
  }
}

/** The ways in which a secret may be written elsewhere. */
function spellings(secret: KnownSecret): readonly KnownSecret[] {
  const { value } = secret;
  const signature = /^[\w-]+\.[\w-]+\.([\w-]{64,})$/.exec(value)?.[1];
  const token = /[?#&/]([\w-]{40,})$/.exec(value)?.[1];
  const backupCode = /^(?:[\dA-Z]{4}-){3}[\dA-Z]{4}$/.test(value) ? value.replaceAll("-", "") : undefined;
  const hash = /^[\dA-Z]{2}:(\$2.*)$/.exec(value)?.[1];
  const others = [signature, token, backupCode, hash, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)];
  return [secret, ...others.flatMap((other) => (other === undefined || other === value ? [] : [{ ...secret, value: other }]))];
}
