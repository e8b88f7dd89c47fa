import { Burger } from "@mantine/core";
import { Link, Outlet } from "@tanstack/react-router";
import { Suspense, useRef, useState } from "react";
import { findRequiredPage, useMe } from "#features/auth/api/me.ts";
import { NewLogin } from "#features/auth/components/new-login.tsx";
import { StepUpProvider } from "#features/auth/components/step-up-provider.tsx";
import { NoticeBell } from "#features/notices/components/notice-bell.tsx";
import { NoticeNews } from "#features/notices/components/notice-news.tsx";
import { PaletteButton } from "#features/palette/components/palette-button.tsx";
import { type OpenPanel, PaletteLauncher } from "#features/palette/components/palette-launcher.tsx";
import { Brand } from "./brand.tsx";
import classes from "./frame.module.css";
import { Navigation } from "./navigation.tsx";
import { useSignOut } from "./use-sign-out.ts";
import { UserMenu } from "./user-menu.tsx";
import { lazyPart } from "#ui/page/lazy-part.ts";

// The drawer is loaded late, since only narrow screens need it.
const NavigationDrawer = lazyPart(async () => (await import("./navigation-drawer.tsx")).NavigationDrawer);

/** What surrounds every page of a session: navigation on the left, or behind a button where the screen is narrow. */
export function Frame() {
  const [drawer, setDrawer] = useState<"not loaded" | "opened" | "closed">("not loaded");
  const burger = useRef<HTMLButtonElement>(null);
  const [panel, setPanel] = useState<OpenPanel>(undefined);
  const signOut = useSignOut();
  const me = useMe();
  // A one-time password opens nothing but the choice of a password, and where a second factor is asked for only that can be set up.
  const isSetUp = findRequiredPage(me) === undefined;
  const isOpened = drawer === "opened";

  /** The drawer is there only once it opens, so it doesn't know where the focus was. */
  function returnFocus(): void {
    if (document.activeElement === document.body) {
      burger.current?.focus();
    }
  }

  return (
    <div className={classes.frame}>
      <a
        className={classes.skip}
        href="#main"
        onClick={(event) => {
          // The hash belongs to the page (a file's lines, for one).
          event.preventDefault();
          document.getElementById("main")?.focus();
        }}
      >
        Skip to content
      </a>
      <nav className={classes.bar} aria-label="Menu">
        <Burger
          ref={burger}
          size="sm"
          opened={isOpened}
          onClick={() => setDrawer("opened")}
          aria-label="Navigation"
          aria-expanded={isOpened}
        />
        <Link to="/" className={classes.home} aria-label="Sightline, overview">
          <Brand />
        </Link>
        <span className={classes.tools}>
          {isSetUp && <PaletteButton onOpen={() => setPanel("palette")} />}
          <NoticeBell enabled={isSetUp} />
        </span>
      </nav>
      <aside className={classes.rail} aria-label="Sightline">
        <div className={classes.top}>
          <Link to="/" className={classes.home} aria-label="Sightline, overview">
            <Brand />
          </Link>
          <NoticeBell enabled={isSetUp} />
        </div>
        {isSetUp && <PaletteButton onOpen={() => setPanel("palette")} />}
        <Navigation />
        <UserMenu />
      </aside>
      <Suspense fallback={null}>
        {drawer !== "not loaded" && <NavigationDrawer opened={isOpened} onClose={() => setDrawer("closed")} onClosed={returnFocus} />}
      </Suspense>
      {isSetUp && <PaletteLauncher isAdmin={me.role === "admin"} onLogOut={() => void signOut()} open={panel} onOpen={setPanel} />}
      <NewLogin email={me.email} />
      <main id="main" tabIndex={-1} className={classes.main}>
        <NoticeNews enabled={isSetUp} />
        <StepUpProvider>
          <Outlet />
        </StepUpProvider>
      </main>
    </div>
  );
}
