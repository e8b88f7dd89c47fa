import { Notifications } from "@mantine/notifications";
import "@mantine/notifications/styles.layer.css";

/** Where what was done, or failed, is told in passing. */
export function NotificationArea() {
  return <Notifications position="bottom-right" />;
}
