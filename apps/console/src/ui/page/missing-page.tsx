import type { ComponentProps } from "react";
import { EmptyPanel } from "#ui/kit/list-states.tsx";
import { Page } from "./page.tsx";
import { useTitle } from "./use-title.ts";

/** Stands in place of a page about something that is not there, or that the reader may not see. */
export function MissingPage({ documentTitle, ...panel }: ComponentProps<typeof EmptyPanel> & { readonly documentTitle: string }) {
  useTitle(documentTitle);
  return (
    <Page>
      <EmptyPanel order={1} {...panel} />
    </Page>
  );
}
