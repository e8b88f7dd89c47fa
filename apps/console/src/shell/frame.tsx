import { Burger, Drawer } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Link, Outlet } from "@tanstack/react-router";
import { StepUpProvider } from "#features/auth/components/step-up-provider.tsx";
import { Brand } from "./brand.tsx";
import classes from "./frame.module.css";
import { Navigation } from "./navigation.tsx";
import { UserMenu } from "./user-menu.tsx";

/** What surrounds every page of a session: navigation on the left, or behind a button where the screen is narrow. */
export function Frame() {
  const [opened, { toggle, close }] = useDisclosure(false);
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
      </nav>
      <aside className={classes.rail} aria-label="Sightline">
        <Link to="/" className={classes.home} aria-label="Sightline, overview">
          <Brand />
        </Link>
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
        <StepUpProvider>
          <Outlet />
        </StepUpProvider>
      </main>
    </div>
  );
}
