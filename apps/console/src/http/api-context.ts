import { createContext, use } from "react";
import type { Api } from "./api.ts";

export const ApiContext = createContext<Api | undefined>(undefined);

export function useApi(): Api {
  const api = use(ApiContext);
  if (api === undefined) {
    throw new Error("useApi is used outside of ApiContext");
  }
  return api;
}
