import { LoadingRows } from "#ui/kit/list-states.tsx";
import classes from "./notices-on-the-way.module.css";

export function NoticesOnTheWay() {
  return (
    <div className={classes.place}>
      <LoadingRows rows={2} />
    </div>
  );
}
