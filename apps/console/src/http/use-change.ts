import { notifications } from "@mantine/notifications";
import { type QueryKey, type UseMutationOptions, useMutation, useQueryClient } from "@tanstack/react-query";
import type { Api } from "./api.ts";
import { useApi } from "./api-context.ts";
import type { Call } from "./send.ts";

type Change<Answer, Sent> = Pick<UseMutationOptions<Answer, Error, Sent>, "mutationKey" | "gcTime"> & {
  readonly send: (sent: Sent, api: Api) => Call<Answer> | Promise<Answer>;
  /** Keys of the queries whose answer is another one from then on. */
  readonly refreshes?: readonly QueryKey[];
  /** Whether a refusal, too, means that what is shown may be out of date. */
  readonly refreshesAlways?: boolean;
  /** Heads the message in the corner when it was refused; left out where the page itself shows that. */
  readonly failed?: string | ((error: Error, sent: Sent) => string);
  readonly onSuccess?: (answer: Answer, sent: Sent) => void;
  /** When the answers of those queries are there, too. */
  readonly onRefreshed?: (answer: Answer, sent: Sent) => void;
  readonly onError?: (error: Error) => void;
  readonly onSettled?: () => void;
};

/** A change that somebody makes: what is sent, what is asked anew after it, and what is said of a refusal. */
export function useChange<Answer, Sent = void>({
  send,
  refreshes = [],
  refreshesAlways = false,
  failed,
  onSuccess,
  onRefreshed,
  onError,
  onSettled,
  ...options
}: Change<Answer, Sent>) {
  const api = useApi();
  const queries = useQueryClient();
  const refresh = () => Promise.all(refreshes.map((queryKey) => queries.invalidateQueries({ queryKey })));
  return useMutation<Answer, Error, Sent>({
    ...options,
    mutationFn(sent) {
      const call = send(sent, api);
      return call instanceof Promise ? call : api.request(call);
    },
    async onSuccess(answer, sent) {
      onSuccess?.(answer, sent);
      await refresh();
      onRefreshed?.(answer, sent);
    },
    async onError(error, sent) {
      if (failed !== undefined) {
        notifications.show({ color: "red", title: typeof failed === "string" ? failed : failed(error, sent), message: error.message });
      }
      onError?.(error);
      await (refreshesAlways ? refresh() : undefined);
    },
    onSettled: () => onSettled?.(),
  });
}
