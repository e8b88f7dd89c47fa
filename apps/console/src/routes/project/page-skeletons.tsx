import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { projectQuery } from "#features/projects/api/projects.ts";
import { hasCode } from "#http/api-error.ts";
import { Unanswered } from "#ui/kit/list-states.tsx";
import { MissingPage } from "#ui/page/missing-page.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { WidePage } from "#ui/page/page.tsx";

type OneProps<Data> = {
  readonly what: "dataset" | "evaluator" | "issue" | "prompt";
  readonly projectId: string;
  readonly query: UseQueryResult<Data>;
  readonly icon: ReactNode;
  /** Why it may be gone. */
  readonly gone?: string;
  readonly children: (data: Data) => ReactNode;
};

/** The page of one thing that a project has: the thing, or that it is not there. */
export function PageOfOne<Data>({ what, projectId, query, icon, gone = "It was deleted.", children }: OneProps<Data>) {
  const name = `${what.charAt(0).toUpperCase()}${what.slice(1)}`;
  if (hasCode(query.error, `${what}_not_found`, "invalid_request")) {
    return (
      <MissingPage documentTitle={`No such ${what}`} icon={icon} title={`This ${what} is not here`} description={gone}>
        <Button component={Link} to={`/projects/$projectId/${what}s`} params={{ projectId }}>
          {name}s of the project
        </Button>
      </MissingPage>
    );
  }
  return (
    <WidePage>
      {query.data === undefined && <PageHeader title={name} />}
      {query.data === undefined ? <Unanswered query={query} failed={`The ${what} could not be loaded`} /> : children(query.data)}
    </WidePage>
  );
}

type ManyProps = {
  readonly projectId: string;
  readonly title: string;
  readonly description: string;
  readonly make: string;
  /** Makes one, in a dialog. */
  readonly renderDialog: (close: () => void) => ReactNode;
  readonly children: ReactNode;
};

/** The page of all that a project has of a kind, where editors make another. */
export function PageOfMany({ projectId, title, description, make, renderDialog, children }: ManyProps) {
  const { data: project } = useQuery(projectQuery(projectId));
  const [isMaking, setMaking] = useState(false);
  return (
    <WidePage>
      <PageHeader title={title} description={description}>
        {project !== undefined && project.my_role !== "viewer" && (
          <Button leftSection={<IconPlus size={16} />} onClick={() => setMaking(true)}>
            {make}
          </Button>
        )}
      </PageHeader>
      {children}
      {isMaking && renderDialog(() => setMaking(false))}
    </WidePage>
  );
}
