// The entry of the block editor, in a frame without an origin: it takes HTML or its own document, and gives back both.
import "@react-email/editor/themes/default.css"
import "./writer.css"
import { EmailEditor, type EmailEditorRef } from "@react-email/editor"
import { StarterKit } from "@react-email/editor/extensions"
import { EmailTheming } from "@react-email/editor/plugins"
import { useEffect, useMemo, useRef, useState } from "react"
import { createRoot } from "react-dom/client"
import type { FromWriter, ToWriter } from "./messages.ts"
import { usePicture } from "./picture.ts"
import { nameMenu, Toolbar } from "./Toolbar.tsx"

const rest_ms = 150

/** The console's origin can't be named from here; by the frame's policy only the console embeds it. */
const post = (message: FromWriter): void => parent.postMessage(message, "*")

const textOf = (ref: EmailEditorRef): string => JSON.stringify(ref.getJSON())

/** Posts a document that differs from the last one: after a short rest, or when the person saves. */
const usePosting = (isConverted: boolean) => {
  const open = useRef<EmailEditorRef>(null)
  const known = useRef("")
  const timer = useRef(0)
  const write = async (save: boolean) => {
    clearTimeout(timer.current)
    const ref = open.current
    const text = ref === null ? known.current : textOf(ref)
    if (ref === null || text === known.current) return save ? post({ written: null, save }) : undefined
    const { html } = await ref.getEmail()
    known.current = text
    post({ written: { html, document: JSON.parse(text) }, save })
  }
  useEffect(() => {
    const keys = (event: KeyboardEvent) => {
      if (event.key !== "s" || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      void write(true)
    }
    addEventListener("keydown", keys)
    return () => removeEventListener("keydown", keys)
  })
  return {
    begin: (ref: EmailEditorRef) => {
      open.current = ref
      if (isConverted) void write(false)
      else known.current = textOf(ref)
    },
    update: (ref: EmailEditorRef) => {
      open.current = ref
      clearTimeout(timer.current)
      timer.current = window.setTimeout(() => void write(false), rest_ms)
    },
  }
}

const Writer = ({ document: stored, html, isReadOnly, words }: ToWriter) => {
  const [editor, setEditor] = useState<EmailEditorRef["editor"]>(null)
  const { begin, update } = usePosting(stored === null)
  const picture = usePicture()
  const extensions = useMemo(
    () => [StarterKit.configure(), EmailTheming.configure({ theme: "basic" }), picture],
    [picture],
  )
  return (
    <>
      {editor !== null && !isReadOnly && <Toolbar editor={editor} words={words} />}
      <EmailEditor
        className="page"
        content={stored === null ? html : (stored as object)}
        editable={!isReadOnly}
        extensions={extensions}
        onReady={(ref) => {
          setEditor(ref.editor)
          begin(ref)
        }}
        onUpdate={update}
      />
    </>
  )
}

const element = document.getElementById("root")
if (element === null) throw new Error("writer.html has no element #root")
const root = createRoot(element)
let shown = 0

addEventListener("message", ({ data, source }: MessageEvent<ToWriter>) => {
  if (source !== parent || typeof data.html !== "string") return
  shown += 1
  nameMenu(data.words)
  root.render(<Writer key={shown} {...data} />)
})
