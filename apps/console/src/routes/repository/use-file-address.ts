import type { Repository } from "@sightline/code-index/contract";
import { getRouteApi, useLocation } from "@tanstack/react-router";
import { readPanel } from "#features/code/file/panels.ts";
import { type LineRange, formatLineRange, parseLineRange } from "#features/code/model/line-range.ts";

const route = getRouteApi("/signed-in/code/$owner/$repo");

export type RepositoryFile = { readonly repository: Repository; readonly path: string };

type Shown = Partial<Readonly<Record<"panel" | "symbol" | "from" | "blame" | "path" | "at" | "commit", string | undefined>>>;

/** The state of an open file in the page's address; changing it adds nothing to the browser's history. */
export function useFileAddress() {
  const { panel, ...search } = route.useSearch();
  const navigate = route.useNavigate();
  const show = (next: Shown) =>
    void navigate({ search: (before) => ({ ...before, ...next }), hash: true, replace: true, resetScroll: false });
  return {
    ...search,
    panel: readPanel(panel),
    target: parseLineRange(useLocation().hash),
    show,
    showName: (name: string, position?: string) => show({ panel: "symbol", symbol: name, from: position }),
    /** A preview has no lines, so the one that was aimed at is forgotten. */
    showSource: (isSource: boolean) =>
      void navigate({ search: (before) => ({ ...before, view: isSource ? "source" : undefined }), hash: "", replace: true }),
    aim: (range: LineRange) =>
      void navigate({
        search: (before) => before,
        hash: formatLineRange(range),
        replace: true,
        resetScroll: false,
        hashScrollIntoView: false,
      }),
  };
}

export type FileAddress = ReturnType<typeof useFileAddress>;
