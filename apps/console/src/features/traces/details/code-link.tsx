import { Anchor } from "@mantine/core";
import { repositoryName, type Observation } from "@sightline/observability/contract";
import { IconCode } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { codeLink } from "#ui/page/code-link.ts";
import classes from "./step-details.module.css";

type CodeLinkProps = {
  readonly code: NonNullable<Observation["code"]>;
  /** The step around it whose code it is. */
  readonly within: string | undefined;
};

/** The code that ran, opened where the repository is known. */
export function CodeLink({ code, within }: CodeLinkProps) {
  const { owner, repo } = codeLink(code.repo === undefined ? "" : repositoryName(code.repo)).params;
  const place = `${code.file}:${code.line}`;
  return (
    <p className={classes.code}>
      <IconCode size={16} aria-hidden="true" />
      {within !== undefined && <span className={classes.part}>in {within}</span>}
      {code.function !== undefined && code.function !== within && <span>{code.function}</span>}
      {owner === "" || repo === "" ? (
        <span>{place}</span>
      ) : (
        <Anchor
          component={Link}
          to="/code/$owner/$repo"
          params={{ owner, repo }}
          search={{ path: code.file, ...(code.commit === undefined ? {} : { commit: code.commit }) }}
          hash={`L${code.line}`}
          hashScrollIntoView={false}
        >
          {place}
        </Anchor>
      )}
    </p>
  );
}
