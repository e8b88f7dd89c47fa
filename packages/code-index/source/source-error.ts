import { withoutCredentials } from "./clone-url.ts";

/** git could not do what was asked. The message is git's own reason, without credentials. */
export class SourceError extends Error {
  /** Whether it may go better when tried again: a network that was down, not a repository that doesn't exist. */
  readonly transient: boolean;

  constructor(message: string, { transient, cause }: { readonly transient: boolean; readonly cause?: unknown }) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "SourceError";
    this.transient = transient;
  }
}

const LONGEST = 1_000;

/** What git says when asking again will not help. */
const LASTING = [
  /repository .*not found/i,
  /does not appear to be a git repository/i,
  /does not exist/i,
  /authentication failed/i,
  /could not read (username|password)/i,
  /permission denied/i,
  /access denied/i,
  /transport .* not allowed/i,
  /not a git repository/i,
  /dubious ownership/i,
  /returned error: (301|302|307|308|400|401|403|404|410)/i,
  /host key verification failed/i,
];

/** The reason out of what git wrote to its error output. */
export function sourceErrorFrom(output: string, exit: string): SourceError {
  const lines = output
    .split(/[\r\n]+/)
    // A remote may send anything, NUL included.
    .map((line) => line.replaceAll(/\p{Cc}+/gu, " ").trim())
    .filter((line) => line !== "");
  const telling = lines.filter((line) => /^(fatal|error|remote|ssh|warning: redirect)/i.test(line));
  const reason = (telling.length > 0 ? telling : lines.slice(-3)).join("\n") || `git ended with ${exit} and said nothing`;
  const message = withoutCredentials(reason).slice(0, LONGEST);
  return new SourceError(message, { transient: !LASTING.some((pattern) => pattern.test(message)) });
}
