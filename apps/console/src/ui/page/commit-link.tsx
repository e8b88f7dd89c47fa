import { Anchor } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { codeLink } from "./code-link.ts";

type CommitLinkProps = {
  readonly repo: string;
  readonly refName: string | undefined;
  readonly commit: string;
  readonly className?: string | undefined;
  readonly title?: string | undefined;
  readonly children: ReactNode;
};

/** Leads to the page of a commit. */
export function CommitLink({ repo, refName, commit, className = "", title = "", children }: CommitLinkProps) {
  return (
    <Anchor
      component={Link}
      to="/code/$owner/$repo/commit/$commit"
      params={{ ...codeLink(repo).params, commit }}
      search={{ ref: refName }}
      className={className}
      title={title}
      inherit
    >
      {children}
    </Anchor>
  );
}
