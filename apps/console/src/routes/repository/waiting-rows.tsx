import type { ComponentProps } from "react";
import { LoadingRows } from "#ui/kit/list-states.tsx";
import classes from "./waiting-rows.module.css";

export function WaitingRows(rows: ComponentProps<typeof LoadingRows>) {
  return (
    <div className={classes.waiting}>
      <LoadingRows {...rows} />
    </div>
  );
}
