import type { ObservationKind } from "@sightline/observability/contract";
import { IconCircleDot, IconDatabaseSearch, IconMessageChatbot, IconPoint, IconRoute, IconSitemap, IconTool } from "@tabler/icons-react";
import { kindLabel } from "#ui/words/step-kind.ts";

const ICONS = {
  graph: IconSitemap,
  node: IconCircleDot,
  tool: IconTool,
  llm: IconMessageChatbot,
  retriever: IconDatabaseSearch,
  span: IconPoint,
} as const satisfies Readonly<Record<ObservationKind, unknown>>;

export function KindIcon({ kind }: { readonly kind: ObservationKind | undefined }) {
  const Icon = kind === undefined ? IconRoute : ICONS[kind];
  return <Icon size={16} stroke={1.7} role="img" aria-label={kindLabel(kind)} />;
}
