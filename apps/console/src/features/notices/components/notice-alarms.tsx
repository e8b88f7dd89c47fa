import { Button } from "@mantine/core";
import type { Notice } from "@sightline/identity/contract";
import { IconAlertTriangle } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { TimeStamp } from "#ui/time/time-stamp.tsx";
import { findAlarm } from "#features/notices/notice-kinds.ts";
import { useMarkRead } from "#features/notices/use-mark-read.ts";
import classes from "./notice-alarms.module.css";

/** What someone may have to act on at once; stays above every page until it is marked as read. */
export function NoticeAlarms({ alarms }: { readonly alarms: readonly Notice[] }) {
  const read = useMarkRead();

  function markRead(notice: Notice): void {
    // The button goes with its notice.
    document.getElementById("main")?.focus();
    read.mutate([notice]);
  }

  return (
    <section className={classes.alarms} aria-label="Security notices">
      {alarms.map((notice) => (
        <Alarm key={notice.id} notice={notice} onRead={() => markRead(notice)} />
      ))}
    </section>
  );
}

function Alarm({ notice, onRead }: { readonly notice: Notice; readonly onRead: () => void }) {
  const alarm = findAlarm(notice);
  return (
    <div className={classes.alarm}>
      <IconAlertTriangle size={20} aria-hidden="true" />
      <div className={classes.words}>
        <strong>{alarm?.title}</strong>
        <span>
          {notice.text}{" "}
          <span className={classes.time}>
            <TimeStamp at={notice.at} />
          </span>
        </span>
      </div>
      <div className={classes.actions}>
        {alarm !== undefined && (
          <Button component={Link} to={alarm.help.to} size="xs" color="red">
            {alarm.help.label}
          </Button>
        )}
        <Button size="xs" variant="default" onClick={onRead}>
          Mark as read
        </Button>
      </div>
    </div>
  );
}
