import { Button } from "@mantine/core";
import { IconFileOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useMemo } from "react";
import { treeQuery } from "#features/code/api/files.ts";
import { findBySuffix } from "#features/code/model/find-by-suffix.ts";
import { EmptyPanel } from "#ui/kit/list-states.tsx";
import type { FileAddress, RepositoryFile } from "./use-file-address.ts";
import { WaitingRows } from "./waiting-rows.tsx";

/**
 * Stands in place of a file that the index does not have. A trace may name it by its path in a container, or at a commit that had it still.
 */
export function MissingFile({ repository, path, address }: RepositoryFile & { readonly address: FileAddress }) {
  const { ref, at, commit, show } = address;
  const tree = useQuery(treeQuery({ id: repository.id, ref }));
  const found = useMemo(() => findBySuffix(tree.data?.files.map((file) => file.path) ?? [], path), [tree.data, path]);
  const elsewhere = found === path ? undefined : found;
  const before = tree.isPending || elsewhere !== undefined || at !== undefined ? undefined : commit;
  useEffect(() => {
    if (elsewhere !== undefined) {
      show({ path: elsewhere });
    } else if (before !== undefined) {
      show({ at: before, commit: undefined });
    }
    // oxlint-disable-next-line react/exhaustive-deps -- `show` is another function each time
  }, [elsewhere, before]);
  if (tree.isPending || elsewhere !== undefined || before !== undefined) {
    return <WaitingRows rows={16} height={16} />;
  }
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
