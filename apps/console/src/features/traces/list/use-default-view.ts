import { useLocalStorage } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { viewsQuery } from "#features/traces/api/views.ts";
import { type ListProps, applyView } from "#features/traces/list/model/list-state.ts";

/** The view with which this browser opens a project's list; which one that is concerns nobody else. */
export function useDefaultView(projectId: string): readonly [string | undefined, (viewId: string | undefined) => void] {
  const [stored, store, forget] = useLocalStorage({ key: `sightline-view-${projectId}`, getInitialValueInEffect: false });
  return [stored, (viewId) => (viewId === undefined ? forget() : store(viewId))];
}

/**
 * Whoever comes to the list without asking for anything finds it as their usual view has it, once.
 *
 * @param isAsked whether the address says what to show
 */
export function useOpenFirst({ projectId, state, onChange }: ListProps, isAsked: boolean): void {
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
      onChange(applyView(state, view), true);
    }
  }, [isAsked, usual, views.data, state, onChange]);
}
