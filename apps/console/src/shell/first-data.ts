import type { QueryClient } from "@tanstack/react-query";
import type { Api } from "#http/api.ts";

/** Where a page is, and what it asks with. */
export type PageContext = {
  readonly api: Api;
  readonly queries: QueryClient;
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly search: Readonly<Record<string, string | undefined>>;
};

/**
 * Asks for what a page shows first, while nothing of it is shown yet. The page asks in the same words (`useQuery`) and finds it
 * there or on its way; what failed is asked for again and told by the page.
 */
export type Prefetch = (context: PageContext) => void;
