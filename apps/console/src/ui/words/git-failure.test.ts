import { expect, test } from "vitest";
import { readGitFailure } from "./git-failure.ts";

test.each([
  ["fatal: '/srv/a.git' does not appear to be a git repository\nfatal: Could not read from remote repository.", "Check the clone URL."],
  ["remote: Repository not found.\nfatal: repository 'https://a/' not found", "choose a credential"],
  ["git@a: Permission denied (publickey).\nfatal: Could not read from remote repository.", "choose a credential"],
  [
    "fatal: could not read Username for 'https://a': terminal prompts disabled\na did not accept the credential bot for this repository: it may be over.",
    "a did not accept the credential bot",
  ],
  ["fatal: unable to access 'https://a/': Failed to connect to a port 443", "could not be reached"],
  ["fatal: couldn't find remote ref refs/heads/x", "Remove it from the repository's settings."],
  ["fatal: write error: No space left on device", "disk is full"],
])("%s is told in words that say what to do, with git's own beside them", (message, words) => {
  const failure = readGitFailure(message);
  expect(failure.words).toContain(words);
  expect(failure.said).toBe(message);
});

test.each(["The host git.invalid was not found (ENOTFOUND).", "fatal: something git never said before"])("%s stays as it is", (message) => {
  expect(readGitFailure(message)).toEqual({ words: message, said: undefined });
});
