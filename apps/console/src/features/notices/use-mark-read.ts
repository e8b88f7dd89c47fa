import { notifications } from "@mantine/notifications";
import type { Notice } from "@sightline/identity/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useApi } from "#http/api-context.ts";
import { markRead, noticesQuery } from "#features/notices/api/notices.ts";

/** Takes notices off the list at once, and back onto it when the server didn't take it. */
export function useMarkRead() {
  const api = useApi();
  const queries = useQueryClient();
  const { queryKey } = noticesQuery;
  return useMutation({
    mutationFn: (read: readonly Notice[]) => Promise.all(read.map(({ id }) => api.request(markRead(id)))),
    onMutate: async (read) => {
      await queries.cancelQueries({ queryKey });
      queries.setQueryData(queryKey, (before) => before?.filter(({ id }) => read.every((notice) => notice.id !== id)));
    },
    onError: (error) => notifications.show({ color: "red", title: "The notice is still unread", message: error.message }),
    onSettled: () => queries.invalidateQueries({ queryKey }),
  });
}
