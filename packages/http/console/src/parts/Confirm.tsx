// The question before an action, loaded when it is asked.
import { lazy, Suspense } from "react"
import type { ConfirmProps } from "./dialogs/ConfirmDialog.tsx"

const ConfirmDialog = lazy(async () => ({ default: (await import("./dialogs/ConfirmDialog.tsx")).ConfirmDialog }))

export const Confirm = (props: ConfirmProps) => (
  <Suspense fallback={null}>
    <ConfirmDialog {...props} />
  </Suspense>
)
