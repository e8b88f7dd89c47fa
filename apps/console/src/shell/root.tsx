import { Outlet, useRouter } from "@tanstack/react-router";
import { useEffect } from "react";

/** Moves the focus to the new page's content after a navigation, as a full page load would. */
export function Root() {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe("onResolved", ({ pathChanged, fromLocation }) => {
        const main = document.getElementById("main");
        // A page that put the focus somewhere itself (the search field) keeps it.
        if (pathChanged && fromLocation !== undefined && main?.contains(document.activeElement) === false) {
          main.focus({ preventScroll: true });
        }
      }),
    [router],
  );
  return <Outlet />;
}
