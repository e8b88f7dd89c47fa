import { VisuallyHidden } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { noticesQuery } from "#features/notices/api/notices.ts";
import { findAlarm, announce } from "#features/notices/notice-kinds.ts";
import { lazyPart } from "#ui/page/lazy-part.ts";

const NoticeAlarms = lazyPart(async () => (await import("./notice-alarms.tsx")).NoticeAlarms);

/** Tells of new notices to who listens, and shows above the page what must not be overlooked. */
export function NoticeNews({ enabled }: { readonly enabled: boolean }) {
  const { data: notices = [] } = useQuery({ ...noticesQuery, enabled });
  const alarms = notices.filter((notice) => findAlarm(notice) !== undefined);
  return (
    <>
      <VisuallyHidden role="status" aria-live="polite">
        {announce(notices)}
      </VisuallyHidden>
      {alarms.length > 0 && (
        <Suspense>
          <NoticeAlarms alarms={alarms} />
        </Suspense>
      )}
    </>
  );
}
