import { Burger, Drawer } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useSuspenseQuery } from "@tanstack/react-query";
import { Link, Outlet } from "@tanstack/react-router";
import { meQuery } from "#features/auth/api/me.ts";
import { StepUpProvider } from "#features/auth/components/step-up-provider.tsx";
import { NoticeBell } from "#features/notices/components/notice-bell.tsx";
import { NoticeNews } from "#features/notices/components/notice-news.tsx";
import { useApi } from "#http/api-context.ts";
import { Brand } from "./brand.tsx";
import classes from "./frame.module.css";
import { Navigation } from "./navigation.tsx";
import { UserMenu } from "./user-menu.tsx";

/** What surrounds every page of a session: navigation on the left, or behind a button where the screen is narrow. */
export function Frame() {
  const [opened, { toggle, close }] = useDisclosure(false);
  const { data: me } = useSuspenseQuery(meQuery(useApi()));
  // A one-time password opens nothing but the choice of a password.
  const told = !me.must_change_password;
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
        Skip to the content
      </a>
      <nav className={classes.bar} aria-label="Menu">
        <Burger size="sm" opened={opened} onClick={toggle} aria-label="Navigation" aria-expanded={opened} />
        <Link to="/" className={classes.home} aria-label="Sightline, overview">
          <Brand />
        </Link>
        <NoticeBell enabled={told} />
      </nav>
      <aside className={classes.rail} aria-label="Sightline">
        <div className={classes.top}>
          <Link to="/" className={classes.home} aria-label="Sightline, overview">
            <Brand />
          </Link>
          <NoticeBell enabled={told} />
        </div>
        <Navigation />
        <UserMenu />
      </aside>
      <Drawer opened={opened} onClose={close} size={272} title={<Brand />} closeButtonProps={{ "aria-label": "Close the navigation" }}>
        <div className={classes.drawer}>
          <Navigation onNavigate={close} />
          <UserMenu />
        </div>
      </Drawer>
      <main id="main" tabIndex={-1} className={classes.main}>
        <NoticeNews enabled={told} />
        <StepUpProvider>
          <Outlet />
        </StepUpProvider>
      </main>
    </div>
  );
}
