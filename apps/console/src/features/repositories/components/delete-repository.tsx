import type { Repository } from "@sightline/code-index/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useApi } from "#http/api-context.ts";
import { deleteRepository, repositoriesQuery } from "#features/repositories/api/repositories.ts";
import { DeleteByName } from "#ui/kit/delete-by-name.tsx";

export function DeleteRepository({ repository, onDeleted }: { readonly repository: Repository; readonly onDeleted: () => void }) {
  const api = useApi();
  const queries = useQueryClient();
  return (
    <DeleteByName
      what="repository"
      name={repository.full_name}
      remove={() => api.request(deleteRepository(repository.id))}
      onDeleted={async () => {
        onDeleted();
        await queries.invalidateQueries({ queryKey: repositoriesQuery.queryKey });
      }}
    >
      Nobody finds its code from this moment on, and its index, jobs and deliveries are deleted. Its source stays where it is; it can be
      registered again.
    </DeleteByName>
  );
}
