import type { DeveloperToken } from "@sightline/code-index/contract";
import { useQueryClient } from "@tanstack/react-query";
import { useApi } from "#http/api-context.ts";
import { RevocableTable } from "#ui/kit/revocable-table.tsx";
import { revokeToken, tokensQuery } from "#features/tokens/api/tokens.ts";
import { type RepositoryChoice, openedBy } from "#features/tokens/token-scope.ts";

type TokenTableProps = {
  readonly tokens: readonly DeveloperToken[];
  /** Undefined until they are known. */
  readonly repositories: readonly RepositoryChoice[] | undefined;
};

export function TokenTable({ tokens, repositories }: TokenTableProps) {
  const api = useApi();
  const queries = useQueryClient();
  return (
    <RevocableTable
      what="token"
      label="Developer tokens"
      opensLabel="Opens"
      rows={tokens.map((token) => ({
        ...token,
        name: token.label,
        prefix: token.token_prefix,
        opens: openedBy(token, repositories),
      }))}
      revoke={async (id) => {
        await revokeToken(api, id);
        await queries.invalidateQueries({ queryKey: tokensQuery(api).queryKey });
      }}
      warning={(name) => `Every assistant that uses “${name}” loses its access at once.`}
    />
  );
}
