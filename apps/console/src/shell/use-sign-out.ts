import { notifications } from "@mantine/notifications";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useApi } from "#http/api-context.ts";

export function useSignOut(): () => Promise<void> {
  const api = useApi();
  const queries = useQueryClient();
  const navigate = useNavigate();
  return async () => {
    try {
      await api.signOut();
    } catch (error) {
      notifications.show({
        color: "red",
        title: "You are still signed in",
        message: error instanceof Error ? error.message : String(error),
      });
      return;
    }
    await navigate({ to: "/login", search: {} });
    queries.clear();
  };
}
