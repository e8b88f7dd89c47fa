import { Paper } from "@mantine/core";
import { Outlet } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { type LoginNotice, type LoginPassage, LoginPassageContext, type PartialLogin } from "#features/auth/login-passage.ts";
import { Brand } from "#shell/brand.tsx";
import { ColorSchemeControl } from "#shell/color-scheme-control.tsx";
import classes from "./login-frame.module.css";

/** Surrounds the steps of a login, and remembers for them what must not outlive the page. */
export function LoginFrame() {
  const [{ partial, notice }, setPassage] = useState<{ partial?: PartialLogin | undefined; notice?: LoginNotice | undefined }>({});
  const passage = useMemo<LoginPassage>(
    () => ({
      partial,
      notice,
      begin: (begun) => setPassage({ partial: begun }),
      restart: (told) => setPassage({ notice: told }),
    }),
    [partial, notice],
  );
  return (
    <main id="main" tabIndex={-1} className={classes.page}>
      <div className={classes.column}>
        <Brand />
        <Paper className={classes.card} radius="lg">
          <LoginPassageContext value={passage}>
            <Outlet />
          </LoginPassageContext>
        </Paper>
        <div className={classes.scheme}>
          <ColorSchemeControl />
        </div>
      </div>
    </main>
  );
}
