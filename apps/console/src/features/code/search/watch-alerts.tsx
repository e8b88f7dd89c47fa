import { Anchor, Button, Checkbox, Group, Modal, Stack, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { SavedSearch, WatchAlert } from "@sightline/code-index/contract";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { changeSavedSearch, savedSearchesQuery, watchAlertsQuery, type SavedSearchChange } from "#features/code/api/saved-searches.ts";
import { useChange } from "#http/use-change.ts";
import { LoadingRows } from "#ui/kit/list-states.tsx";
import { FailedChange } from "#ui/kit/failed-change.tsx";
import { codeLink } from "#ui/page/code-link.ts";
import { CommitLink } from "#ui/page/commit-link.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { formatCount, plural } from "#ui/words/format.ts";
import { SafeText } from "#ui/words/safe-text.tsx";
import { shortRevision } from "#ui/words/short-revision.ts";
import classes from "./watch-alerts.module.css";

type Props = { readonly search: SavedSearch; readonly mail: boolean };

/** How much is new of a search that is watched, and opens it. */
export function FoundButton({ search, mail }: Props) {
  const [opened, { open, close }] = useDisclosure(false);
  const { name, unread, watch } = search;
  if (!watch && unread === 0) {
    return null;
  }
  return (
    <>
      <Button
        size="compact-xs"
        mih={24}
        variant={unread > 0 ? "filled" : "default"}
        aria-label={`${unread > 0 ? `${formatCount(unread)} new` : "What was found"}: ${name}`}
        onClick={open}
      >
        {unread > 0 ? `${formatCount(unread)} new` : "Found"}
      </Button>
      <Modal opened={opened} onClose={close} size="lg" title={`New code: ${name}`}>
        <Found search={search} mail={mail} onRead={close} />
      </Modal>
    </>
  );
}

function Found({ search: { id, unread, by_email: byEmail }, mail, onRead }: Props & { readonly onRead: () => void }) {
  const alerts = useQuery(watchAlertsQuery(id));
  const change = useChange({
    send: (body: SavedSearchChange) => changeSavedSearch(id, body),
    refreshes: [savedSearchesQuery.queryKey],
    failed: "That was not saved",
    onSuccess: (_answer, { read_until: read }) => (read === undefined ? undefined : onRead()),
  });
  const newest = alerts.data?.[0]?.found_at;
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        {mail ? (
          <Checkbox
            label="By e-mail, too"
            checked={(change.isPending ? change.variables.by_email : undefined) ?? byEmail}
            onChange={() => change.mutate({ by_email: !byEmail })}
          />
        ) : (
          <span />
        )}
        {unread > 0 && newest !== undefined && (
          <Button size="sm" loading={change.isPending} onClick={() => change.mutate({ read_until: newest })}>
            Mark as read
          </Button>
        )}
      </Group>
      <FailedChange error={alerts.error} title="What was found can't be shown" />
      {alerts.isPending && <LoadingRows rows={3} />}
      {alerts.data?.length === 0 && <Text size="sm">Nothing yet: lines that are pushed from now on and match are listed here.</Text>}
      <ol className={classes.alerts}>
        {alerts.data?.map((alert) => (
          <Alert key={`${alert.repo} ${alert.commit}`} alert={alert} />
        ))}
      </ol>
    </Stack>
  );
}

function Alert({ alert: { repo, ref, commit, matches, lines, note, is_new: isNew, found_at: at } }: { readonly alert: WatchAlert }) {
  return (
    <li className={classes.alert} data-new={isNew || undefined}>
      <div className={classes.head}>
        <strong>{repo}</strong>
        <span>
          {plural(matches, "line", "lines")} up to{" "}
          <CommitLink repo={repo} refName={ref} commit={commit} className={classes.link}>
            {shortRevision(commit)}
          </CommitLink>{" "}
          on {ref}
        </span>
        <TimeStamp at={at} />
        {isNew && <span className={classes.new}>new</span>}
      </div>
      {note !== null && <p className={classes.note}>{note}</p>}
      <ul className={classes.lines}>
        {lines.map(({ path, line, text }) => (
          <li key={`${path} ${line}`}>
            <Anchor
              component={Link}
              {...codeLink(repo)}
              search={{ path, ref, at: commit }}
              hash={`L${line}`}
              className={classes.link}
              size="xs"
            >
              <SafeText text={`${path}:${line}`} />
            </Anchor>
            <code className={classes.text}>
              <SafeText text={text} />
            </code>
          </li>
        ))}
      </ul>
      {matches > lines.length && <p className={classes.note}>{formatCount(matches - lines.length)} more; the commit shows them.</p>}
    </li>
  );
}
