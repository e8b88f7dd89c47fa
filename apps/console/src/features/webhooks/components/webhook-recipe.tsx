import { WEBHOOK_HOSTS } from "@sightline/code-index/contract";
import { Code, Stack, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { mcpEndpointQuery } from "#http/mcp-endpoint.ts";
import { CopyableBlock } from "#ui/kit/copyable.tsx";
import { LoadingRows, Unanswered } from "#ui/kit/list-states.tsx";
import { TabsOf } from "#ui/kit/tabs-of.tsx";
import { webhookAddress } from "#features/webhooks/webhook-address.ts";

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
        tabs={Object.entries(WEBHOOK_HOSTS).map(([id, { title, recipe }]) => ({
          id,
          label: title,
          content: <Recipe text={recipe(secret)} />,
        }))}
      />
    </Stack>
  );
}

/** A recipe with what stands in backticks as code. */
function Recipe({ text }: { readonly text: string }) {
  return <Text size="sm">{text.split("`").map((part, index) => (index % 2 === 1 ? <Code key={part}>{part}</Code> : part))}</Text>;
}
