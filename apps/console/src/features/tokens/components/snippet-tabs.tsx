import { Tabs, Text } from "@mantine/core";
import { CopyableBlock } from "#ui/kit/copyable.tsx";
import { snippetsFor } from "#features/tokens/snippets.ts";

export function SnippetTabs({ url, token }: { readonly url: string; readonly token: string | undefined }) {
  const snippets = snippetsFor(url, token);
  return (
    <Tabs defaultValue={snippets[0]?.id ?? null} keepMounted={false}>
      <Tabs.List>
        {snippets.map(({ id, client }) => (
          <Tabs.Tab key={id} value={id}>
            {client}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {snippets.map(({ id, client, place, text }) => (
        <Tabs.Panel key={id} value={id} pt="md">
          <Text size="sm" c="dimmed" mb="xs">
            {place}
          </Text>
          <CopyableBlock text={text} label={`the snippet for ${client}`} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
