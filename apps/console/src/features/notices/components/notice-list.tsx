import { ActionIcon, Anchor, Tooltip } from "@mantine/core";
import type { Notice } from "@sightline/identity/contract";
import { IconAlertTriangle, IconBellCheck, IconCheck, IconInfoCircle } from "@tabler/icons-react";
import { EmptyPanel, ErrorState } from "#ui/kit/list-states.tsx";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { findAlarm } from "#features/notices/notice-kinds.ts";
import { useMarkRead } from "#features/notices/use-mark-read.ts";
import classes from "./notice-list.module.css";
import { NoticesSkeleton } from "./notices-skeleton.tsx";

type NoticeListProps = { readonly notices: readonly Notice[] | undefined; readonly error: Error | null; readonly onRetry: () => void };

export function NoticeList({ notices, error, onRetry }: NoticeListProps) {
  const read = useMarkRead();

  function markRead(those: readonly Notice[], button: HTMLElement): void {
    // The button goes with its notice; the focus stays in the list, where escape closes it.
    button.closest<HTMLElement>("[role=dialog]")?.focus();
    read.mutate(those);
  }

  if (notices === undefined) {
    return error === null ? <NoticesSkeleton /> : <ErrorState title="The notices could not be loaded" error={error} onRetry={onRetry} />;
  }
  if (notices.length === 0) {
    return (
      <EmptyPanel
        icon={<IconBellCheck />}
        title="Nothing new"
        description="Security events of your account, such as new 2FA or a locked login, and comments that mention you appear here."
      />
    );
  }
  return (
    <>
      <div className={classes.head}>
        <h2 className={classes.title}>Notices</h2>
        <Anchor component="button" type="button" size="xs" onClick={({ currentTarget }) => markRead(notices, currentTarget)}>
          Mark all as read
        </Anchor>
      </div>
      <ul className={classes.list}>
        {notices.map((notice) => (
          <li key={notice.id} data-alarm={findAlarm(notice) !== undefined || undefined}>
            {findAlarm(notice) === undefined ? (
              <IconInfoCircle size={17} aria-hidden="true" />
            ) : (
              <IconAlertTriangle size={17} aria-hidden="true" />
            )}
            <div className={classes.words}>
              {notice.text} {notice.details["path"] !== undefined && <a href={notice.details["path"]}>Read it</a>}
              <span className={classes.time}>
                <TimeStamp at={notice.at} />
              </span>
            </div>
            <Tooltip label="Mark as read">
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={`Mark as read: ${notice.text}`}
                onClick={({ currentTarget }) => markRead([notice], currentTarget)}
              >
                <IconCheck size={16} />
              </ActionIcon>
            </Tooltip>
          </li>
        ))}
      </ul>
    </>
  );
}
