import { ActionIcon, Popover } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconBell } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { noticesQuery } from "#features/notices/api/notices.ts";
import classes from "./notice-bell.module.css";
import { NoticesSkeleton } from "./notices-skeleton.tsx";
import { lazyPart } from "#ui/page/lazy-part.ts";

const NoticeList = lazyPart(async () => (await import("./notice-list.tsx")).NoticeList);

export function NoticeBell({ enabled }: { readonly enabled: boolean }) {
  const notices = useQuery({ ...noticesQuery, enabled });
  const [opened, { toggle, close }] = useDisclosure(false);
  const unread = notices.data?.length ?? 0;
  const shown = unread > 9 ? "9+" : String(unread);
  return (
    <Popover opened={opened} onDismiss={close} onClose={close} width={360} position="bottom-start" shadow="md" trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          className={classes.bell}
          aria-label={unread === 0 ? "Notices" : `Notices, ${shown} unread`}
          onClick={toggle}
        >
          <IconBell size={18} stroke={1.7} />
          {unread > 0 && (
            <span className={classes.count} aria-hidden="true">
              {shown}
            </span>
          )}
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown className={classes.list} aria-label="Notices">
        <Suspense fallback={<NoticesSkeleton />}>
          <NoticeList notices={notices.data} error={notices.error} onRetry={() => void notices.refetch()} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
