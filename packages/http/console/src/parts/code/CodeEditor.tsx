// An editor of code. CodeMirror is loaded when one is shown.
import { Skeleton } from "@mantine/core"
import type { Extension } from "@codemirror/state"
import { lazy, Suspense } from "react"

const Mirror = lazy(async () => ({ default: (await import("./CodeMirror.tsx")).CodeMirror }))

export interface CodeEditorProps {
  /** Name of the field. */
  readonly label: string
  readonly value: string
  readonly onChange: (text: string) => void
  readonly language: "html" | "json"
  readonly isReadOnly?: boolean
  /** The key that saves, which a screen does not hear while the editor has the focus. */
  readonly onSave?: () => void
  readonly height_px?: number
  /** Completions, marks and keys of the screen. Keep the array the same between renders. */
  readonly extensions?: ReadonlyArray<Extension>
}

export const CodeEditor = (props: CodeEditorProps) => (
  <Suspense fallback={<Skeleton h={props.height_px ?? 420} />}>
    <Mirror {...props} />
  </Suspense>
)
