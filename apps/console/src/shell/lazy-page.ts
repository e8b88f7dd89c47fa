import { type ComponentType, createElement, lazy, useState } from "react";

/** A page that the router may load before it shows it. */
type LazyPage = ComponentType & { readonly preload: () => Promise<void> };

/**
 * A page that is loaded when it is first needed. What can't be loaded is an error wherever that is noticed: the router's own
 * `lazyRouteComponent` can swallow it, and render nothing that React knows.
 */
export function lazyPage<Name extends string>(load: () => Promise<Readonly<Record<Name, ComponentType>>>, name: Name): LazyPage {
  let loaded: ComponentType | undefined;
  const preload = async () => {
    loaded = (await load())[name];
  };
  const Late = lazy(async (): Promise<{ readonly default: ComponentType }> => ({ default: (await load())[name] }));
  const Page = () => {
    // One that is there already is shown at once; and it stays the same as long as it is shown.
    const [{ component }] = useState(() => ({ component: loaded ?? Late }));
    return createElement(component);
  };
  return Object.assign(Page, { preload });
}
