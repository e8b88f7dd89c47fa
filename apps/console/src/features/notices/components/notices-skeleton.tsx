import { LoadingRows } from "#ui/kit/list-states.tsx";
import classes from "./notices-skeleton.module.css";

export function NoticesSkeleton() {
  return (
    <div className={classes.place}>
      <LoadingRows rows={2} />
    </div>
  );
}
