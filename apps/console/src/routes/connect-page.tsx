import { Paper, SegmentedControl, Stack, Text, Title } from "@mantine/core";
import type { CreatedToken, DeveloperToken } from "@sightline/code-index/contract";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { useState } from "react";
import { Dimmed } from "#ui/words/dimmed.tsx";
import { PanelList, Section } from "#ui/kit/panel.tsx";
import { useMe } from "#features/auth/api/me.ts";
import { ConnectedApps } from "#features/connections/components/connected-apps.tsx";
import { repositoriesQuery } from "#features/repositories/api/repositories.ts";
import { tokensQuery, revokeToken } from "#features/tokens/api/tokens.ts";
import { CreateToken } from "#features/tokens/components/create-token.tsx";
import { TryIt } from "#features/tokens/components/try-it.tsx";
import { mcpEndpointQuery } from "#http/mcp-endpoint.ts";
import { LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { PageHeader } from "#ui/page/page-header.tsx";
import { Page } from "#ui/page/page.tsx";
import { CopyableBlock } from "#ui/kit/copyable.tsx";
import { snippetsFor } from "#features/tokens/snippets.ts";
import { useChange } from "#http/use-change.ts";
import { TabsOf } from "#ui/kit/tabs-of.tsx";
import { RevocableTable } from "#ui/kit/revocable-table.tsx";
import { type RepositoryChoice, openedBy } from "#features/tokens/token-scope.ts";

const route = getRouteApi("/signed-in/code/connect");

export function ConnectPage() {
  const { new: asked } = route.useSearch();
  // Lives as long as this page is open: the token is shown once and kept nowhere.
  const [created, setCreated] = useState<CreatedToken>();
  const [way, setWay] = useState<"browser" | "token">(asked === undefined ? "browser" : "token");
  const me = useMe();
  const repositories = useQuery(repositoriesQuery);
  const makesTokens = me.role === "admin";
  return (
    <Page>
      <PageHeader
        title="Connect an assistant"
        description="Assistants search your code and read your traces over MCP. Each connection can be revoked separately."
      >
        <SegmentedControl
          aria-label="How it signs in"
          data={[
            { value: "browser", label: "Browser sign-in" },
            { value: "token", label: "Developer token" },
          ]}
          value={way}
          onChange={setWay}
        />
      </PageHeader>
      <Stack gap="lg">
        {way === "browser" ? (
          <Section title="Configure your assistant" gap={4}>
            <Text c="dimmed" mb="md">
              It opens your browser, where you choose what it may see and for how long. Assistants without OAuth, and scripts, use a
              developer token.
            </Text>
            <Snippets />
          </Section>
        ) : (
          <>
            <Section title={`1. ${makesTokens ? "Create" : "Get"} a developer token`}>
              {makesTokens ? (
                <CreateToken isAskedFor={asked !== undefined} repositories={repositories} created={created} onCreated={setCreated} />
              ) : (
                <Text>Only admins can create them: ask one of “{me.tenant.name}” for a token.</Text>
              )}
            </Section>
            <Section title="2. Configure your assistant" gap={4}>
              <Text c="dimmed" mb="md">
                {created === undefined ? "Replace YOUR_TOKEN with that token." : `“${created.label}” is filled in.`}
              </Text>
              <Snippets token={created?.token ?? "YOUR_TOKEN"} />
            </Section>
            <Section title="3. Try it" gap={4}>
              <Text c="dimmed" mb="md">
                Calls a tool through the MCP endpoint with only the token: you see what your assistant gets.
              </Text>
              <TryIt token={created?.token} />
            </Section>
          </>
        )}
        <Paper component="section">
          <Title order={2} p="lg" pb="xs">
            Connected assistants
          </Title>
          <ConnectedApps openedBy={(app) => openedBy(app, repositories.data)} />
        </Paper>
        {makesTokens && (
          <Paper component="section">
            <Title order={2} p="lg" pb="xs">
              Developer tokens
            </Title>
            <TokenList />
          </Paper>
        )}
      </Stack>
    </Page>
  );
}

/** A command with another address than the code index's own would be no help, so there is none until that is known. */
function Snippets({ token }: { readonly token?: string }) {
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
    <TabsOf
      space="md"
      tabs={snippetsFor(endpoint.data, token).map(({ id, client, place, text }) => ({
        id,
        label: client,
        content: (
          <>
            <Dimmed mb="xs">{place}</Dimmed>
            <CopyableBlock text={text} label={`the snippet for ${client}`} />
          </>
        ),
      }))}
    />
  );
}

function TokenList() {
  const tokens = useQuery(tokensQuery);
  const repositories = useQuery(repositoriesQuery);
  return (
    <PanelList
      query={tokens}
      items={tokens.data}
      isHeaded
      failed="The developer tokens could not be loaded"
      empty="No developer tokens yet. A token lets one assistant search, until you revoke it."
    >
      {(items) => <TokenTable tokens={items} repositories={repositories.data} />}
    </PanelList>
  );
}

type TokenTableProps = {
  readonly tokens: readonly DeveloperToken[];
  /** Undefined until they are known. */
  readonly repositories: readonly RepositoryChoice[] | undefined;
};

function TokenTable({ tokens, repositories }: TokenTableProps) {
  const revocation = useChange({ send: revokeToken, refreshes: [tokensQuery.queryKey], failed: "The token still works" });
  return (
    <RevocableTable
      what="token"
      label="Developer tokens"
      rows={tokens.map((token) => ({
        ...token,
        name: token.label,
        prefix: token.token_prefix,
        opens: openedBy(token, repositories),
      }))}
      revocation={revocation}
      warning={(name) => `Every assistant that uses “${name}” loses access immediately.`}
    />
  );
}
