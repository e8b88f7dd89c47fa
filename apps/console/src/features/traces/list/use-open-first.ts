import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { viewsQuery } from "#features/traces/api/views.ts";
import { type ListState, applyView } from "./list-state.ts";
import { useDefaultView } from "./use-default-view.ts";

/** Whoever comes to the list without asking for anything finds it as their usual view has it, once. */
export function useOpenFirst({
  projectId,
  isAsked,
  state,
  onOpen,
}: {
  readonly projectId: string;
  /** Whether the address says what to show. */
  readonly isAsked: boolean;
  readonly state: ListState;
  readonly onOpen: (state: ListState) => void;
}): void {
  const [usual] = useDefaultView(projectId);
  const views = useQuery(viewsQuery(projectId));
  const isDone = useRef(isAsked);
  useEffect(() => {
    if (isDone.current || isAsked || usual === undefined) {
      isDone.current = isDone.current || isAsked;
      return;
    }
    const view = views.data?.find(({ id }) => id === usual);
    if (views.data !== undefined) {
      isDone.current = true;
    }
    if (view !== undefined) {
      onOpen(applyView(state, view));
    }
  }, [isAsked, usual, views.data, state, onOpen]);
}
