import { Anchor } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { codeLink } from "#ui/page/code-link.ts";

type CompareLinkProps = {
  readonly repo: string;
  readonly refName: string | undefined;
  readonly base?: string;
  /** The newest one when left out. */
  readonly head?: string;
  readonly children: ReactNode;
};

/** Leads to the comparison of two commits. */
export function CompareLink({ repo, refName, base, head, children }: CompareLinkProps) {
  return (
    <Anchor component={Link} to="/code/$owner/$repo/compare" params={codeLink(repo).params} search={{ ref: refName, base, head }} inherit>
      {children}
    </Anchor>
  );
}
