import type { DeveloperToken } from "@sightline/code-index/contract";
import { useChange } from "#http/use-change.ts";
import { RevocableTable } from "#ui/kit/revocable-table.tsx";
import { revokeToken, tokensQuery } from "#features/tokens/api/tokens.ts";
import { type RepositoryChoice, openedBy } from "#features/tokens/token-scope.ts";

type TokenTableProps = {
  readonly tokens: readonly DeveloperToken[];
  /** Undefined until they are known. */
  readonly repositories: readonly RepositoryChoice[] | undefined;
};

export function TokenTable({ tokens, repositories }: TokenTableProps) {
  const revocation = useChange({ send: revokeToken, refreshes: [tokensQuery.queryKey], failed: "The token still works" });
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
      revocation={revocation}
      warning={(name) => `Every assistant that uses “${name}” loses its access at once.`}
    />
  );
}
