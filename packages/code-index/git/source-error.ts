import { withoutCredentials } from "./clone-url.ts";

/** What is the matter, where it matters to a caller. */
export type SourceProblem = "branch_missing" | "too_large" | "too_slow" | "address_refused" | "access_refused" | "other";

const REMOTE_PROBLEMS: ReadonlySet<SourceProblem> = new Set(["branch_missing", "address_refused", "access_refused"]);

type Details = {
  readonly transient: boolean;
  readonly problem?: SourceProblem;
  readonly fromRemote?: boolean;
  readonly cause?: unknown;
};

/** git could not do what was asked. The message is git's own reason, without credentials. */
export class SourceError extends Error {
  /** Whether it may go better when tried again: a network that was down, not a repository that doesn't exist. */
  readonly transient: boolean;
  readonly problem: SourceProblem;
  /** Whether the remote or the way to it is the cause, and nothing on this machine. */
  readonly fromRemote: boolean;

  constructor(message: string, { transient, problem = "other", fromRemote = false, cause }: Details) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "SourceError";
    this.transient = transient;
    this.problem = problem;
    this.fromRemote = fromRemote || REMOTE_PROBLEMS.has(problem);
  }
}

const MAX_REASON_LENGTH = 1_000;

/** Hosts say 404 to who may not know that a repository exists. */
const ACCESS = [
  /repository .*not found/i,
  /authentication failed/i,
  /could not read (username|password)/i,
  /permission denied/i,
  /access denied/i,
  /returned error: (401|403|404)/i,
  /host key verification failed/i,
];

/** As hosts answer for a repository that was renamed or given to another owner. */
const MOVED = /returned error: (301|302|307|308)/i;

/** What else git says when asking again will not help. */
const LASTING = [
  /does not appear to be a git repository/i,
  /does not exist/i,
  /transport .* not allowed/i,
  /not a git repository/i,
  /dubious ownership/i,
  MOVED,
  /returned error: (400|410)/i,
];

/** A full disk is not the mirror's fault either: fetching all anew needs more of it. */
const NETWORK =
  /could not resolve|couldn't resolve|failed to connect|connection|timed? ?out|rpc failed|early eof|hung up|unexpected disconnect|remote end|ssl|tls|http\/?[0-9]|returned error|operation too slow|no space left/i;

const ADVICE_OF_MOVED =
  "The host says that the repository is at another address now, which is not followed: if it was renamed or moved, change its clone_url.";

const MISSING = /couldn't find remote ref/i;

/** The reason out of what git wrote to its error output. */
export function sourceErrorFrom(output: string, exit: string): SourceError {
  const lines = output
    .split(/[\r\n]+/)
    // A remote may send anything, NUL included.
    .map((line) => line.replaceAll(/\p{Cc}+/gu, " ").trim())
    .filter((line) => line !== "");
  const naming = lines.filter((line) =>
    /^(fatal|error|remote|ssh|warning: redirect|exec: |host key|no .*host key)|permission denied/i.test(line),
  );
  const reason = (naming.length > 0 ? naming : lines.slice(-3)).join("\n") || `git ended with ${exit} and said nothing`;
  const told = withoutCredentials(reason).toWellFormed().slice(0, MAX_REASON_LENGTH);
  const message = MOVED.test(told) ? `${told}\n${ADVICE_OF_MOVED}` : told;
  if (/REMOTE HOST IDENTIFICATION HAS CHANGED/.test(output)) {
    return new SourceError(
      "The ssh host has another key than before, so nothing was fetched: somebody may be in between. If the host has changed its key, have the operator forget the old one (operations: known_hosts).",
      { transient: false, problem: "access_refused" },
    );
  }
  if (MISSING.test(message)) {
    return new SourceError(message, { transient: false, problem: "branch_missing" });
  }
  // A full disk, and whatever else is not known to last.
  const transient = /no space left on device/i.test(message) || ![...ACCESS, ...LASTING].some((pattern) => pattern.test(message));
  const refused = !transient && ACCESS.some((pattern) => pattern.test(message));
  return new SourceError(message, { transient, problem: refused ? "access_refused" : "other", fromRemote: NETWORK.test(message) });
}
