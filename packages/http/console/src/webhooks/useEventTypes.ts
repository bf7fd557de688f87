// The catalogue of event types. It changes with the service only.
import { useQuery } from "@tanstack/react-query"
import { queryOf } from "../api/queries.ts"
import { test_type } from "./patterns.ts"

export const useCatalogue = () => useQuery({ ...queryOf("events", "types"), staleTime: Number.POSITIVE_INFINITY })

/** The types that an endpoint can choose. */
export const useChoosableTypes = () => {
  const { data } = useCatalogue()
  return (data?.event_types ?? []).filter(({ type }) => type !== test_type)
}
