import type { BlameAnswer } from "@sightline/code-index/contract";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { blameQuery } from "#features/code/api/commits.ts";
import type { Branch } from "#features/code/api/files.ts";
import { CommitLink } from "#ui/page/commit-link.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { SafeText } from "#ui/words/safe-text.tsx";
import classes from "./blame-margin.module.css";

type BlameQuery = { readonly path: string; readonly commit: string; readonly isShown: boolean };

/** What stands before each line of a file: who last changed it; `undefined` while it is not to be shown. */
export function useBlame(branch: Branch, { path, commit, isShown }: BlameQuery): ((line: number) => ReactNode) | undefined {
  const blame = useQuery({ ...blameQuery(branch, { path, commit }), enabled: isShown });
  const { data, error } = blame;
  const at = useMemo(() => (data === undefined ? undefined : lineFinder(data)), [data]);
  if (!isShown) {
    return undefined;
  }
  return (line) => {
    const found = at?.(line);
    const isFirst = found?.range.start_line === line;
    return (
      <span
        className={classes.margin}
        data-first={isFirst || undefined}
        data-age={found?.commit === undefined ? undefined : ageOf(found.commit.committed_at)}
        title={found?.commit === undefined ? (line === 1 ? error?.message : undefined) : inWords(found.commit)}
      >
        {found === undefined && line === 1 && (error === null ? "Loading…" : "Not loaded")}
        {isFirst && data !== undefined && <Origin answer={data} {...found} refName={branch.ref} />}
      </span>
    );
  };
}

const DAY_MS = 86_400_000;
/** Up to so many days old; what is older is the last. */
const AGES_DAYS = [7, 30, 180, 730];

/** How long ago, from 0 for the last week to 4 for over two years, which the color of the edge shows. */
function ageOf(at: string): number {
  const days = (Date.now() - new Date(at).getTime()) / DAY_MS;
  const age = AGES_DAYS.findIndex((limit) => days <= limit);
  return age === -1 ? AGES_DAYS.length : age;
}

type Range = BlameAnswer["ranges"][number];
/** Also told where a block is entered in its middle, and its first line is out of sight. */
function inWords({ subject, author, commit }: BlameAnswer["commits"][number]): string {
  return `${subject}\n${author}, ${commit.slice(0, 12)}`;
}

type Found = { readonly range: Range; readonly commit: BlameAnswer["commits"][number] | undefined };

function lineFinder({ ranges, commits }: BlameAnswer): (line: number) => Found | undefined {
  const known = new Map(commits.map((commit) => [commit.commit, commit]));
  const byLine = new Map<number, Found>();
  for (const range of ranges) {
    for (let line = range.start_line; line <= range.end_line; line += 1) {
      byLine.set(line, { range, commit: known.get(range.commit ?? "") });
    }
  }
  return (line) => byLine.get(line);
}

function Origin({ answer, commit, refName }: Found & { readonly answer: BlameAnswer; readonly refName: string | undefined }) {
  if (commit === undefined) {
    return <span title="These lines are older than the commits that are kept">older</span>;
  }
  return (
    <>
      <CommitLink repo={answer.repo} refName={refName} commit={commit.commit} className={classes.subject} title={inWords(commit)}>
        <SafeText text={commit.subject} />
      </CommitLink>
      <span className={classes.author}>
        <SafeText text={commit.author} />
      </span>
      <TimeStamp at={commit.committed_at} />
    </>
  );
}
