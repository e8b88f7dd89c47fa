import { type ComponentType, createElement, lazy, useState } from "react";
import type { Prefetch } from "./first-data.ts";

/** A page that the router may load before it shows it. */
type LazyPage = ComponentType & {
  readonly preload: () => Promise<void>;
  /** What the page's file says that it asks for first, once that is loaded. */
  readonly prefetch: () => Prefetch | undefined;
};

type PageFile<Name extends string> = Readonly<Record<Name, ComponentType>> & { readonly prefetch?: Prefetch };

/**
 * A page that is loaded when it is first needed. What can't be loaded is an error wherever that is noticed: the router's own
 * `lazyRouteComponent` can swallow it, and render nothing that React knows.
 */
export function lazyPage<Name extends string>(load: () => Promise<PageFile<Name>>, name: Name): LazyPage {
  let loaded: ComponentType | undefined;
  let prefetch: Prefetch | undefined;
  const preload = async () => {
    const file = await load();
    loaded = file[name];
    prefetch = file.prefetch;
  };
  const Late = lazy(async (): Promise<{ readonly default: ComponentType }> => ({ default: (await load())[name] }));
  const Page = () => {
    // One that is there already is shown at once; and it stays the same as long as it is shown.
    const [{ component }] = useState(() => ({ component: loaded ?? Late }));
    return createElement(component);
  };
  return Object.assign(Page, { preload, prefetch: () => prefetch });
}

export function isLazyPage(component: unknown): component is LazyPage {
  return typeof component === "function" && "prefetch" in component;
}
