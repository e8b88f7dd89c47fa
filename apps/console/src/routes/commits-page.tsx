import { Anchor, Button } from "@mantine/core";
import { Link, getRouteApi } from "@tanstack/react-router";
import { CommitsOf } from "#features/code/commit/commits-of.tsx";
import { codeLink } from "#ui/page/code-link.ts";
import { PageHeader } from "#ui/page/page-header.tsx";
import { RepositoryNamed } from "./repository-named.tsx";

const route = getRouteApi("/signed-in/code/$owner/$repo/commits");

/** The commits of a branch. */
export function CommitsPage() {
  const { ref } = route.useSearch();
  return (
    <RepositoryNamed {...route.useParams()}>
      {({ id, full_name: repo, default_branch: standard }) => (
        <>
          <PageHeader
            title={`Commits of ${ref ?? standard ?? "the default branch"}`}
            documentTitle={`Commits · ${repo}`}
            description={
              <Anchor component={Link} {...codeLink(repo)} search={{ ref }} inherit>
                {repo}
              </Anchor>
            }
          >
            <Button
              size="xs"
              variant="default"
              renderRoot={(props) => <Link {...props} to="/code/$owner/$repo/compare" params={codeLink(repo).params} search={{ ref }} />}
            >
              Compare two commits
            </Button>
          </PageHeader>
          <CommitsOf branch={{ id, ref }} />
        </>
      )}
    </RepositoryNamed>
  );
}
