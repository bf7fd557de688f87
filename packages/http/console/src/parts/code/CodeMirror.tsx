// CodeMirror with the console's colours. Only `CodeEditor.tsx` imports this module.
import { html } from "@codemirror/lang-html"
import { json } from "@codemirror/lang-json"
import { syntaxHighlighting } from "@codemirror/language"
import { Annotation, EditorState, Prec } from "@codemirror/state"
import { EditorView, keymap } from "@codemirror/view"
import { classHighlighter } from "@lezer/highlight"
import { basicSetup } from "codemirror"
import { useEffect, useRef } from "react"
import type { CodeEditorProps } from "./CodeEditor.tsx"
import { nonce } from "./nonce.ts"

/** Marks a change that came from the value of the component. */
const outside = Annotation.define<boolean>()

const none: NonNullable<CodeEditorProps["extensions"]> = []

export const CodeMirror = ({
  extensions = none,
  height_px = 420,
  isReadOnly = false,
  label,
  language,
  onChange,
  onSave,
  value,
}: CodeEditorProps) => {
  const place = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView | null>(null)
  const changed = useRef(onChange)
  const saved = useRef(onSave)
  const latest = useRef(value)
  useEffect(() => {
    changed.current = onChange
    saved.current = onSave
    latest.current = value
  }, [onChange, onSave, value])
  useEffect(() => {
    if (place.current === null) return undefined
    const made = new EditorView({
      parent: place.current,
      doc: latest.current,
      extensions: [
        EditorView.cspNonce.of(nonce()),
        basicSetup,
        language === "html" ? html() : json(),
        syntaxHighlighting(classHighlighter),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
        EditorState.readOnly.of(isReadOnly),
        EditorView.updateListener.of(({ docChanged, state, transactions }) => {
          if (docChanged && !transactions.some((each) => each.annotation(outside) === true)) {
            changed.current(state.doc.toString())
          }
        }),
        Prec.high(keymap.of([{ key: "Mod-s", run: () => (saved.current?.(), saved.current !== undefined) }])),
        ...extensions,
      ],
    })
    view.current = made
    return () => made.destroy()
  }, [extensions, isReadOnly, label, language])
  useEffect(() => {
    const state = view.current?.state
    if (state === undefined || state.doc.toString() === value) return
    view.current?.dispatch({
      changes: { from: 0, to: state.doc.length, insert: value },
      annotations: outside.of(true),
    })
  }, [value])
  return <div ref={place} className="code" style={{ height: height_px }} />
}
