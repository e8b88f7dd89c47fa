import { Badge, Group } from "@mantine/core";

/** Labels, and with their versions where they are of several. */
export function Labels({ labels }: { readonly labels: readonly string[] | Readonly<Record<string, number>> }) {
  const texts = Array.isArray(labels) ? labels : Object.entries(labels).map(([label, version]) => `${label} ${version}`);
  return (
    <Group gap={4}>
      {texts.map((text) => (
        <Badge key={text} size="sm" variant="default" tt="none" fw={500} miw="max-content">
          {text}
        </Badge>
      ))}
    </Group>
  );
}
