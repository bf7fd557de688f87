// The dialog that merges two contacts, loaded when it opens: few people need it.
import { lazy, Suspense } from "react"
import type { MergeProps } from "./MergeContacts.tsx"

const MergeContacts = lazy(async () => ({ default: (await import("./MergeContacts.tsx")).MergeContacts }))

export const MergeDialog = (props: MergeProps) => (
  <Suspense>
    <MergeContacts {...props} />
  </Suspense>
)
