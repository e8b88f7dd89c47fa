import { Button, Group, Stack, Textarea } from "@mantine/core";
import type { Repository } from "@sightline/code-index/contract";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Failed } from "#ui/kit/failed-change.tsx";
import { typedInto } from "#ui/kit/typed-into.ts";
import { useChange } from "#http/use-change.ts";
import {
  INDEXING_KEYS,
  changeRepository,
  deleteRepository,
  previewQuery,
  repositoriesQuery,
  startIndexing,
} from "#features/repositories/api/repositories.ts";
import { splitLines } from "#features/repositories/patterns.ts";
import monospace from "#ui/kit/monospace.module.css";
import { RepositoryPreview } from "./preview.tsx";
import classes from "./review-preview.module.css";

type ReviewPreviewProps = {
  readonly repository: Repository;
  /** It was registered a moment ago, and may go as it came. */
  readonly mayDiscard?: boolean;
  readonly onChanged: (repository: Repository) => void;
  readonly onDone: () => void;
};

/** The last look before a registered repository is indexed. */
export function ReviewPreview({ repository, mayDiscard = false, onChanged, onDone }: ReviewPreviewProps) {
  const top = useRef<HTMLDivElement>(null);
  // The form that was in the dialog before took the focus with it.
  useEffect(() => top.current?.focus(), []);
  const [exclude, setExclude] = useState(repository.exclude.join("\n"));
  const changed = splitLines(exclude).join("\n") !== repository.exclude.join("\n");
  const preview = useQuery(previewQuery(repository));
  const failed = preview.data?.status === "failed";
  // Nobody indexes what was not counted yet; that it could not be counted is said above.
  const isWaiting = preview.isPlaceholderData || (preview.data?.status !== "ready" && preview.error === null);
  const look = useChange({
    send: () => changeRepository(repository.id, { exclude: splitLines(exclude) }),
    refreshes: [repositoriesQuery.queryKey],
    onSuccess: onChanged,
  });
  const finish = useChange<unknown, boolean>({
    send: (index) => (index ? startIndexing(repository.id, "full") : deleteRepository(repository.id)),
    refreshes: INDEXING_KEYS,
    onRefreshed: onDone,
  });
  const error = look.error ?? finish.error;
  return (
    <Stack gap="lg" ref={top} tabIndex={-1} className={classes.top}>
      <RepositoryPreview repository={repository} onLeave={onDone} />
      <Textarea
        label="Leave out"
        description="Patterns as in .gitignore, one per line"
        rows={3}
        classNames={{ input: monospace.input }}
        {...typedInto(exclude, setExclude)}
        spellCheck={false}
      />
      <Failed error={error} title="That did not work" />
      <Group justify="space-between" gap="xs" className={classes.actions}>
        {mayDiscard ? (
          <Button variant="subtle" color="red" disabled={finish.isPending} onClick={() => finish.mutate(false)}>
            Cancel registration
          </Button>
        ) : (
          <Button variant="default" onClick={onDone}>
            Not now
          </Button>
        )}
        <Group gap="xs">
          <Button
            variant="default"
            loading={look.isPending || (failed && preview.isFetching)}
            disabled={!changed && !failed}
            onClick={() => (changed ? look.mutate() : void preview.refetch())}
          >
            Preview again
          </Button>
          <Button loading={finish.isPending} disabled={changed || look.isPending || isWaiting} onClick={() => finish.mutate(true)}>
            Index
          </Button>
        </Group>
      </Group>
    </Stack>
  );
}
