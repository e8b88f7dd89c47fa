import { Anchor } from "@mantine/core";
import { repositoryName, type Observation } from "@sightline/observability/contract";
import { IconCode } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { codeLink } from "#ui/page/code-link.ts";
import classes from "./step-details.module.css";

type Code = NonNullable<Observation["code"]>;

type CodeLinkProps = {
  readonly code: Code;
  /** The step around it whose code it is. */
  readonly within: string | undefined;
};

/** The code that ran, opened where the repository is known. */
export function CodeLink({ code, within }: CodeLinkProps) {
  return (
    <p className={classes.code}>
      <IconCode size={16} aria-hidden="true" />
      {within !== undefined && <span className={classes.part}>in {within}</span>}
      {code.function !== undefined && code.function !== within && <span>{code.function}</span>}
      <CodePlace {...code} />
    </p>
  );
}

type CodePlaceProps = Pick<Code, "file"> & { readonly [Part in "repo" | "commit"]?: string | undefined } & {
  readonly line: number | undefined;
};

/** A line of a file, linked to it at the commit where the repository is known. */
export function CodePlace({ repo: name = "", commit, file, line }: CodePlaceProps) {
  const { owner, repo } = codeLink(repositoryName(name)).params;
  const place = line === undefined ? file : `${file}:${line}`;
  return owner === "" || repo === "" ? (
    <span>{place}</span>
  ) : (
    <Anchor
      component={Link}
      to="/code/$owner/$repo"
      params={{ owner, repo }}
      search={{ path: file, ...(commit === undefined ? {} : { commit }) }}
      hash={line === undefined ? "" : `L${line}`}
      hashScrollIntoView={false}
    >
      {place}
    </Anchor>
  );
}
