import { useLocalStorage } from "@mantine/hooks";

/** The view with which this browser opens a project's list; which one that is concerns nobody else. */
export function useDefaultView(projectId: string): readonly [string | undefined, (viewId: string | undefined) => void] {
  const [stored, store, forget] = useLocalStorage({ key: `sightline-view-${projectId}`, getInitialValueInEffect: false });
  return [stored, (viewId) => (viewId === undefined ? forget() : store(viewId))];
}
