// Two texts beside each other, with their differences; on a phone as one text. Loaded on demand.
import { html } from "@codemirror/lang-html"
import { syntaxHighlighting } from "@codemirror/language"
import { MergeView, unifiedMergeView } from "@codemirror/merge"
import { EditorState } from "@codemirror/state"
import { EditorView, lineNumbers } from "@codemirror/view"
import { classHighlighter } from "@lezer/highlight"
import { useEffect, useRef } from "react"
import { useIsPhone } from "../phone.ts"
import { nonce } from "./nonce.ts"

interface Side {
  readonly label: string
  readonly text: string
}

interface Props {
  readonly before: Side
  readonly after: Side
}

const collapseUnchanged = { margin: 3, minSize: 6 }

const extensionsOf = (label: string) => [
  EditorView.cspNonce.of(nonce()),
  html(),
  lineNumbers(),
  syntaxHighlighting(classHighlighter),
  EditorView.lineWrapping,
  EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
  EditorState.readOnly.of(true),
]

export const CodeDiff = ({ after, before }: Props) => {
  const place = useRef<HTMLDivElement>(null)
  const isPhone = useIsPhone()
  const { label: oldLabel, text: oldText } = before
  const { label: newLabel, text: newText } = after
  useEffect(() => {
    if (place.current === null) return undefined
    const parent = place.current
    if (isPhone) {
      const unified = unifiedMergeView({ original: oldText, mergeControls: false, collapseUnchanged })
      const view = new EditorView({ parent, doc: newText, extensions: [extensionsOf(newLabel), unified] })
      return () => view.destroy()
    }
    const view = new MergeView({
      parent,
      a: { doc: oldText, extensions: extensionsOf(oldLabel) },
      b: { doc: newText, extensions: extensionsOf(newLabel) },
      collapseUnchanged,
    })
    return () => view.destroy()
  }, [oldLabel, oldText, newLabel, newText, isPhone])
  return <div ref={place} className="code diff" />
}
