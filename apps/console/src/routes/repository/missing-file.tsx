import { Button } from "@mantine/core";
import { IconFileOff } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { EmptyPanel } from "#ui/kit/list-states.tsx";
import type { RepositoryFile } from "./use-file-address.ts";

/** Stands in place of a file that the index does not have. */
export function MissingFile({ repository, path }: RepositoryFile) {
  const name = path.split("/").at(-1) ?? path;
  return (
    <EmptyPanel
      icon={<IconFileOff />}
      title={`${path} is not here`}
      description="The index has no such file: it was moved, deleted, or left out."
    >
      <Button component={Link} to="/code" search={{ q: name, repo: repository.full_name }} variant="default">
        Search for {name}
      </Button>
      <Button component={Link} to="/code/repos/$repositoryId" params={{ repositoryId: repository.id }} variant="default">
        Why it is not searchable
      </Button>
    </EmptyPanel>
  );
}
