import type { ObservationKind } from "@sightline/observability/contract";
import { IconCircleDot, IconDatabaseSearch, IconMessageChatbot, IconPoint, IconRoute, IconSitemap, IconTool } from "@tabler/icons-react";

const KINDS = {
  graph: { icon: IconSitemap, label: "Graph" },
  node: { icon: IconCircleDot, label: "Node" },
  tool: { icon: IconTool, label: "Tool" },
  llm: { icon: IconMessageChatbot, label: "Model" },
  retriever: { icon: IconDatabaseSearch, label: "Retriever" },
  span: { icon: IconPoint, label: "Span" },
} as const satisfies Readonly<Record<ObservationKind, unknown>>;

export function KindIcon({ kind }: { readonly kind: ObservationKind | undefined }) {
  const Icon = kind === undefined ? IconRoute : KINDS[kind].icon;
  return <Icon size={16} stroke={1.7} role="img" aria-label={kindLabel(kind)} />;
}

/** In words; the trace itself has no kind. */
export function kindLabel(kind: ObservationKind | undefined): string {
  return kind === undefined ? "Trace" : KINDS[kind].label;
}
