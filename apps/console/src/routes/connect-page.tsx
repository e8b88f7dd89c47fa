import { Paper, Stack, Text, Title } from "@mantine/core";
import type { CreatedToken } from "@sightline/code-index/contract";
import { IconKey } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { useMe } from "#features/auth/api/me.ts";
import { repositoriesQuery } from "#features/repositories/api/repositories.ts";
import { tokensQuery } from "#features/tokens/api/tokens.ts";
import { CreateToken } from "#features/tokens/components/create-token.tsx";
import { SnippetTabs } from "#features/tokens/components/snippet-tabs.tsx";
import { TryIt } from "#features/tokens/components/try-it.tsx";
import { TokenTable } from "#features/tokens/components/token-table.tsx";
import { mcpEndpointQuery } from "#http/mcp-endpoint.ts";
import { EmptyPanel, LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { Page } from "#ui/page/page.tsx";

const route = getRouteApi("/signed-in/code/connect");

export function ConnectPage() {
  const { new: asked } = route.useSearch();
  // Lives as long as this page is open: the token is shown once and kept nowhere.
  const [created, setCreated] = useState<CreatedToken>();
  const me = useMe();
  const repositories = useQuery(repositoriesQuery);
  const makesTokens = me.role === "admin";
  return (
    <Page>
      <PageHeader
        title="Connect an assistant"
        description="Assistants search your code and look into your traces over MCP. Give each its own token, so that you can revoke one without the others."
      />
      <Stack gap="lg">
        <Paper p="lg" component="section">
          <Title order={2} mb="md">
            1. {makesTokens ? "Create" : "Get"} a developer token
          </Title>
          {makesTokens ? (
            <CreateToken isAskedFor={asked !== undefined} repositories={repositories} created={created} onCreated={setCreated} />
          ) : (
            <Text>Only admins make them: ask one of “{me.tenant.name}” for a token of your own.</Text>
          )}
        </Paper>
        <Paper p="lg" component="section">
          <Title order={2} mb={4}>
            2. Tell your assistant
          </Title>
          <Snippets created={created} />
        </Paper>
        <Paper p="lg" component="section">
          <Title order={2} mb={4}>
            3. Try it
          </Title>
          <Text c="dimmed" mb="md">
            Calls a tool through the MCP endpoint, with the token alone: what you see is what your assistant gets.
          </Text>
          <TryIt token={created?.token} />
        </Paper>
        {makesTokens && (
          <Paper component="section">
            <Title order={2} p="lg" pb="xs">
              Tokens
            </Title>
            <TokenList />
          </Paper>
        )}
      </Stack>
    </Page>
  );
}

/** A command with another address than the code index's own would be no help, so there is none until that is known. */
function Snippets({ created }: { readonly created: CreatedToken | undefined }) {
  const endpoint = useQuery(mcpEndpointQuery);
  if (endpoint.data === undefined) {
    return (
      <Unanswered
        query={endpoint}
        failed="The address of the code index could not be loaded"
        loading={<LoadingRows rows={4} height={36} />}
      />
    );
  }
  return (
    <>
      <Text c="dimmed" mb="md">
        {created === undefined ? "Replace YOUR_TOKEN with that token." : `“${created.label}” is filled in.`}
      </Text>
      <SnippetTabs url={endpoint.data} token={created?.token} />
    </>
  );
}

function TokenList() {
  const tokens = useQuery(tokensQuery);
  const repositories = useQuery(repositoriesQuery);
  if (tokens.data === undefined) {
    return (
      <Unanswered
        query={tokens}
        failed="The tokens could not be loaded"
        loading={
          <Stack p="lg" pt={0}>
            <LoadingRows rows={3} />
          </Stack>
        }
      />
    );
  }
  if (tokens.data.length === 0) {
    return (
      <EmptyPanel
        icon={<IconKey />}
        title="No token yet"
        description="A token opens the search to one assistant, for as long as you don't revoke it."
      />
    );
  }
  return <TokenTable tokens={tokens.data} repositories={repositories.data} />;
}
