import type { ComponentProps } from "react";
import { EmptyPanel } from "#ui/kit/list-states.tsx";
import { Page } from "./page.tsx";
import { useTitle } from "./use-title.ts";

/** In place of a page about something that is not there, or not for who asks. */
export function MissingPage({ documentTitle, ...panel }: ComponentProps<typeof EmptyPanel> & { readonly documentTitle: string }) {
  useTitle(documentTitle);
  return (
    <Page>
      <EmptyPanel order={1} {...panel} />
    </Page>
  );
}
