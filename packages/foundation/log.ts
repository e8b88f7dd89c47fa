import { pino, stdTimeFunctions, type Logger } from "pino";

export type { Logger } from "pino";

/** Fields that are redacted, wherever in the logged object they stand. */
const SECRET_FIELDS = [
  "password",
  "token",
  "access_token",
  "partial_token",
  "setup_token",
  "refresh_token",
  "secret",
  "code",
  "authorization",
  "cookie",
  "set-cookie",
  "x-api-key",
  "api_key",
];

/**
 * A code is a secret where it lets somebody in (six digits, or longer), and a reason where it names an error: ECONNREFUSED, 57014 of
 * PostgreSQL, tenant_deleting.
 */
const REASON = /^(?:E[A-Z_]{2,40}|[0-9A-Z]{5}|[a-z]+(?:_[a-z]+)+)$/;

function censor(value: unknown, path: readonly string[]): unknown {
  return path.at(-1) === "code" && typeof value === "string" && REASON.test(value) ? value : "[redacted]";
}

type LogOptions = {
  /** The role that writes, e.g. `identity`. */
  readonly name: string;
  readonly level: "debug" | "info" | "warn" | "error" | "silent";
  readonly destination?: { write(line: string): void };
};

/** One JSON line an event, UTC, with secrets redacted by field name. */
export function createLog(options: LogOptions): Logger {
  const settings = {
    name: options.name,
    level: options.level,
    timestamp: stdTimeFunctions.isoTime,
    base: { pid: process.pid },
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: SECRET_FIELDS.flatMap((field) => [`["${field}"]`, `*["${field}"]`, `*.*["${field}"]`]), censor },
  };
  return options.destination === undefined ? pino(settings) : pino(settings, options.destination);
}
