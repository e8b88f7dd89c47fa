import type { Commit } from "#git/read-commits.ts";
import { decode } from "#splitting/decode.ts";
import type { NewChange, NewCommit } from "#store/index/commits.store.ts";
import { splitTerms } from "#store/index/terms.ts";

const MAX_SUBJECT = 1_000;
const MAX_BODY = 20_000;
const MAX_NAME = 300;
/** Different words of a message that it is found by. */
const MAX_TERMS = 1_000;

/** @param changed how many names of files differ from its first parent. */
export function describeCommit(commit: Commit, position: number, changed: number | null = null): NewCommit {
  const message = decodeMessage(commit.message).replaceAll("\r\n", "\n").trim();
  const end = message.search(/\n\s*\n|$/u);
  // As git has it: the first paragraph, in one line.
  const subject = message.slice(0, end).replaceAll(/\s*\n\s*/gu, " ");
  const body = message.slice(end).trim();
  const ofSubject = new Set(splitTerms(subject));
  return {
    position,
    commit: commit.commit,
    parents: commit.parents,
    author: truncateField(decodeMessage(commit.author), MAX_NAME),
    author_email: truncateField(decodeMessage(commit.authorEmail), MAX_NAME),
    authored_at: momentOf(commit.authoredAt),
    committed_at: momentOf(commit.committedAt),
    subject: truncateField(subject, MAX_SUBJECT),
    body: truncateField(body, MAX_BODY),
    terms: [...new Set([...ofSubject, ...splitTerms(body)])].slice(0, MAX_TERMS),
    subject_terms: Math.min(ofSubject.size, MAX_TERMS),
    paths: commit.paths,
    paths_total: commit.pathsTotal,
    moved_to: commit.moves.map(({ to }) => to),
    moved_from: commit.moves.map(({ from }) => from),
    changes_total: changed,
  };
}

/** The files that a commit changed against its first parent, as far as they are kept. */
export function describeChanges({ paths }: Pick<Commit, "paths">, position: number): readonly NewChange[] {
  return [...new Set(paths)].map((path) => ({ position, path }));
}

function decodeMessage(bytes: Buffer): string {
  return decode(bytes).text.replaceAll("\0", "").toWellFormed();
}

function truncateField(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length).toWellFormed()}…`;
}

const LAST_SECOND = 253_402_300_799;

/** git takes any number for a time; what no calendar has becomes the nearest that has. */
function momentOf(seconds: number): string {
  const sane = Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0), LAST_SECOND) : 0;
  return new Date(sane * 1_000).toISOString();
}
