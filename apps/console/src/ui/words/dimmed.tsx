import { Text, type TextProps } from "@mantine/core";
import type { ComponentProps } from "react";

/** What matters less: small and grey. */
export function Dimmed(text: TextProps & Pick<ComponentProps<"p">, "children" | "id" | "role" | "title" | "aria-live">) {
  return <Text size="sm" c="dimmed" {...text} />;
}
