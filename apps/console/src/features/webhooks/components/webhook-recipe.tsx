import { Code, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { mcpEndpointQuery } from "#http/mcp-endpoint.ts";
import { CopyableBlock } from "#ui/kit/copyable.tsx";
import { LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { TabsOf } from "#ui/kit/tabs-of.tsx";
import { webhookAddress } from "#features/webhooks/webhook-address.ts";

type Recipe = { readonly id: string; readonly host: string; readonly steps: ReactNode };

/** How each host is told where to send its pushes. */
export function WebhookRecipe({ ownSecret }: { readonly ownSecret: boolean }) {
  const address = useQuery({ ...mcpEndpointQuery, select: webhookAddress });
  const secret = ownSecret ? "this repository's secret" : "the server's CODEINDEX_WEBHOOK_SECRET";
  return (
    <Stack gap="sm">
      <Title order={3}>Send pushes here</Title>
      {address.data !== undefined ? (
        <CopyableBlock text={address.data} label="the webhook's address" />
      ) : (
        <Unanswered query={address} failed="The webhook's address could not be loaded" loading={<LoadingRows rows={1} />} />
      )}
      <TabsOf
        space="sm"
        tabs={recipesFor(secret).map(({ id, host, steps }) => ({ id, label: host, content: <Text size="sm">{steps}</Text> }))}
      />
    </Stack>
  );
}

function recipesFor(secret: string): readonly Recipe[] {
  return [
    {
      id: "github",
      host: "GitHub",
      steps: (
        <>
          Settings → Webhooks → Add webhook. Content type <Code>application/json</Code>, secret: {secret}, just the push event. GitHub sends
          a ping at once, and shows each delivery with a button to send it again.
        </>
      ),
    },
    {
      id: "gitlab",
      host: "GitLab",
      steps: <>Settings → Webhooks → Add new webhook. Secret token: {secret}; trigger: push events. “Test” sends the newest push.</>,
    },
    {
      id: "gitea",
      host: "Gitea, Forgejo",
      steps: (
        <>
          Settings → Webhooks → Add webhook. POST content type <Code>application/json</Code>, secret: {secret}, trigger on push events.
        </>
      ),
    },
    {
      id: "bitbucket",
      host: "Bitbucket",
      steps: <>Repository settings → Webhooks → Add webhook. Secret: {secret}; trigger: repository push.</>,
    },
    {
      id: "generic",
      host: "Anything else",
      steps: (
        <>
          POST JSON with <Code>full_name</Code>, <Code>ref</Code>, <Code>before</Code> and <Code>after</Code>, and the header{" "}
          <Code>X-Signature-256: sha256=…</Code>, the HMAC-SHA-256 of the body with {secret}.
        </>
      ),
    },
  ];
}
