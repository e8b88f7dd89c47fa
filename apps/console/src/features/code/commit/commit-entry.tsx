import type { Commit } from "@sightline/code-index/contract";
import type { ReactNode } from "react";
import { CopyableId } from "#ui/kit/copyable.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { SafeText } from "#ui/words/safe-text.tsx";
import classes from "./commit-entry.module.css";
import { CommitLink } from "#ui/page/commit-link.tsx";
import { CompareLink } from "./compare-link.tsx";

type CommitEntryProps = {
  readonly commit: Omit<Commit, "paths" | "paths_total">;
  readonly refName: string | undefined;
  /** What else is known of it. */
  readonly facts?: ReactNode;
  readonly children?: ReactNode;
};

export function CommitList({ children }: { readonly children: ReactNode }) {
  return <ol className={classes.list}>{children}</ol>;
}

/** A commit in a list. */
export function CommitEntry({ commit: given, refName, facts, children }: CommitEntryProps) {
  const { repo, commit, subject, body, author, author_email: email, committed_at: at } = given;
  return (
    <li className={classes.commit}>
      <CommitLink repo={repo} refName={refName} commit={commit} className={classes.subject} title={body === "" ? undefined : body}>
        <SafeText text={subject} />
      </CommitLink>
      <span className={classes.by}>
        <CopyableId value={commit} label="commit" />
        <span title={email}>
          <SafeText text={author} />
        </span>
        <TimeStamp at={at} />
        {facts}
        <CompareLink repo={repo} refName={refName} base={commit}>
          Compare
        </CompareLink>
      </span>
      {children}
    </li>
  );
}
