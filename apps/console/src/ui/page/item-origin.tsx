import { Anchor, Text } from "@mantine/core";
import { type ItemSource, repositoryName } from "@sightline/observability/contract";
import { Link } from "@tanstack/react-router";
import { codeLink } from "./code-link.ts";

/** Where an item of a dataset comes from: its trace or step, and the line of code that ran. */
export function ItemOrigin({ projectId, source }: { readonly projectId: string; readonly source: ItemSource | null }) {
  if (source === null) {
    return (
      <Text inherit c="dimmed">
        of no trace
      </Text>
    );
  }
  const { trace_id: traceId, observation_id: stepId, repo, commit, path, line } = source;
  const place = path === undefined ? undefined : `${path.split("/").at(-1)}${line === undefined ? "" : `:${line}`}`;
  return (
    <>
      {traceId !== undefined && (
        <Anchor
          component={Link}
          inherit
          underline="always"
          to="/projects/$projectId/traces/$traceId"
          params={{ projectId, traceId }}
          search={{ observation: stepId }}
        >
          {stepId === undefined ? "trace" : "step of a trace"}
        </Anchor>
      )}{" "}
      {place !== undefined && (
        <span title={path}>
          {repo === undefined ? (
            place
          ) : (
            <Anchor
              component={Link}
              inherit
              underline="always"
              {...codeLink(repositoryName(repo))}
              search={{ path, commit }}
              {...(line === undefined ? {} : { hash: `L${line}` })}
              hashScrollIntoView={false}
            >
              {place}
            </Anchor>
          )}
        </span>
      )}
    </>
  );
}
