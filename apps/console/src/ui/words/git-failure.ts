const CHECK_ACCESS = "Repository not found, or it requires a credential. Check the clone URL, or choose a credential that may read it.";

/** What git says, and what it means to whoever registered the repository. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [/no space left/i, "The indexer's disk is full. Free some of it, then run this again."],
  [/couldn't find remote ref/i, "This branch no longer exists on the remote. Remove it from the repository's settings."],
  [/(?:authentication|verification) failed|could not read (?:username|password)|(?:permission|access) denied/i, CHECK_ACCESS],
  [/returned error: (?:401|403|404)|repository .*not found/i, CHECK_ACCESS],
  [
    /not appear to be a git repository|not a git repository|does not exist/i,
    "There is no git repository at this address. Check the clone URL.",
  ],
  [
    /timed? ?out|failed to connect|refused|could(?:n't| not) resolve|hung up|early eof|rpc failed/i,
    "The host could not be reached, or hung up.",
  ],
];

export type GitFailure = {
  readonly words: string;
  /** What git wrote itself, where the words are not its own. */
  readonly said: string | undefined;
};

/** Why an index could not be made, in words that say what to do where that is known. */
export function readGitFailure(message: string): GitFailure {
  const isGits = /^(?:fatal|error|remote|ssh|git@\S+): /m.test(message);
  const meaning = !isGits
    ? undefined
    : (/^.* did not accept the credential .*$/m.exec(message)?.[0] ?? MEANINGS.find(([pattern]) => pattern.test(message))?.[1]);
  return meaning === undefined ? { words: message, said: undefined } : { words: meaning, said: message };
}
