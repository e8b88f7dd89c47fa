import { notifications } from "@mantine/notifications";
import { useEffect, useRef, useState } from "react";

/** One value at a time; leaving the page ends it. */
export function useLoading() {
  const [state, setState] = useState<{ readonly of: string | undefined; readonly share: number }>({ of: undefined, share: 0 });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  return {
    ...state,
    run: async (of: string, task: (signal: AbortSignal, onProgress: (share: number) => void) => Promise<unknown>): Promise<unknown> => {
      running.current?.abort();
      const controller = new AbortController();
      running.current = controller;
      setState({ of, share: 0 });
      try {
        return await task(controller.signal, (share) => setState({ of, share }));
      } catch (error) {
        if (!controller.signal.aborted) {
          notifications.show({
            color: "red",
            title: "The value could not be loaded",
            message: error instanceof Error ? error.message : String(error),
          });
        }
        return undefined;
      } finally {
        setState((before) => (before.of === of ? { of: undefined, share: 0 } : before));
      }
    },
  };
}
